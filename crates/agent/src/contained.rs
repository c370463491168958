//! A task that is worked on and tested in one container, as Harbor's and Terminal-Bench's are: what the agent leaves there,
//! files and running services alike, is what the tests meet.

use crate::task_file::FileSet;
use fairtrial_spec::Network;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where the tests are put, after the agent has stopped.
pub(crate) const TESTS: &str = "/tests";
/// Where the reference solution is put.
pub(crate) const SOLUTION: &str = "/solution";
/// The key under which a reward without a name stands.
pub(crate) const REWARD: &str = "reward";

/// Variables; a value may be `${NAME}` or `${NAME:-DEFAULT}`, which stands for one of the caller's.
pub type Variables = BTreeMap<String, String>;

/// What a task says about its container and what is done in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Contained {
    /// The name of its format, for people.
    pub format: String,
    /// What is worked on and tested, one after the other; at least one.
    pub steps: Vec<Step>,
    /// How the rewards of several steps become one.
    pub rule: StepRule,
    /// Variables of all programs in the container.
    pub env: Variables,
    /// Variables of the reference solution.
    pub solution_env: Variables,
    /// Where programs start, where that is not what the image says.
    pub workdir: Option<String>,
    /// Processors.
    pub cpus: Option<f64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Bytes that may be added on disk.
    pub disk_bytes: Option<u64>,
    /// Seconds for building the image.
    pub build_timeout_s: f64,
    /// The network of what comes before the agent.
    pub network: Network,
    /// The agent's network.
    pub agent_network: Network,
    /// The network of the tests.
    pub tests_network: Network,
    /// What says that the container is ready.
    pub health: Option<Health>,
    /// What is kept of the container: paths in it.
    pub artifacts: Vec<Artifact>,
    /// Commands that make something worth keeping of what runs, after the agent.
    pub collect: Vec<Collect>,
    /// The folders with tests, solutions and files of steps, by name. They lie beside the baseline.
    pub folders: BTreeMap<String, FileSet>,
}

/// One thing that an agent is told to do, with its tests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name; empty where the task has one step alone.
    pub name: String,
    /// What the agent is told.
    pub instructions: String,
    /// Seconds for the agent.
    pub agent_timeout_s: Option<f64>,
    /// The user of the container that the agent is.
    pub agent_user: Option<String>,
    /// Seconds for the tests.
    pub tests_timeout_s: f64,
    /// The user of the container that runs the tests.
    pub tests_user: Option<String>,
    /// Variables of the tests.
    pub tests_env: Variables,
    /// Folders that become [`TESTS`], later ones over earlier ones.
    pub tests: Vec<String>,
    /// The folder that becomes [`SOLUTION`].
    pub solution: Option<String>,
    /// The folder that is laid over the working folder before the step, with a `setup.sh` that is run then.
    pub workdir: Option<String>,
    /// What says that the step can begin.
    pub health: Option<Health>,
    /// Rewards without which no further step is taken.
    pub min_reward: BTreeMap<String, f64>,
    /// What is kept of the container after this step.
    pub artifacts: Vec<Artifact>,
}

/// How the rewards of several steps become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepRule {
    /// Their mean over the steps that were tested; a reward that a step does not give counts as 0.
    #[default]
    Mean,
    /// Those of the last step.
    Final,
}

/// A command that succeeds when something is ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// What is run, by a shell.
    pub command: String,
    /// Seconds between two tries.
    #[serde(rename = "interval_sec", default = "five")]
    pub interval_s: f64,
    /// Seconds for one.
    #[serde(rename = "timeout_sec", default = "thirty")]
    pub timeout_s: f64,
    /// Seconds in which failures do not count.
    #[serde(rename = "start_period_sec", default)]
    pub start_period_s: f64,
    /// Seconds between two tries in that time.
    #[serde(rename = "start_interval_sec", default = "five")]
    pub start_interval_s: f64,
    /// Failures in a row after which it is given up.
    #[serde(default = "three")]
    pub retries: u32,
}

const fn five() -> f64 {
    5.0
}

const fn thirty() -> f64 {
    30.0
}

const fn three() -> u32 {
    3
}

/// Something that is kept of a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its path in the container.
    pub source: String,
    /// Its path under the rollout's artifacts; absent means as in the container.
    pub destination: Option<String>,
}

/// A command that makes something worth keeping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Collect {
    /// What is run, by a shell.
    pub command: String,
    /// Seconds for it.
    pub timeout_s: f64,
    /// The user of the container that runs it.
    pub user: Option<String>,
}

impl Contained {
    /// All that an agent meets, as a text to be hashed.
    pub(crate) fn given(&self) -> Vec<u8> {
        let mut given = self.clone();
        let tests: Vec<String> = given
            .steps
            .iter()
            .flat_map(|step| step.tests.clone())
            .collect();
        let solutions = given.steps.iter().filter_map(|step| step.solution.clone());
        let unseen: Vec<String> = tests.into_iter().chain(solutions).collect();
        given.folders.retain(|name, _| !unseen.contains(name));
        given.solution_env.clear();
        given.rule = StepRule::Mean;
        given.tests_network = Network::Full;
        given.artifacts.clear();
        given.collect.clear();
        for step in &mut given.steps {
            (step.tests_timeout_s, step.tests_user) = (0.0, None);
            (step.tests, step.solution) = (Vec::new(), None);
            step.tests_env.clear();
            step.artifacts.clear();
        }
        serde_json::to_vec(&given).unwrap_or_default()
    }

    /// All that it says about its scoring, as a text to be hashed.
    pub(crate) fn scoring(&self) -> Vec<u8> {
        let step = |step: &Step| {
            let folders: Vec<&FileSet> = step
                .tests
                .iter()
                .filter_map(|name| self.folders.get(name))
                .collect();
            serde_json::json!([
                step.name,
                folders,
                step.tests_env,
                step.tests_user,
                step.tests_timeout_s,
                step.min_reward,
            ])
        };
        let steps: Vec<_> = self.steps.iter().map(step).collect();
        let scoring = (steps, self.rule, &self.tests_network, &self.collect);
        serde_json::to_vec(&scoring).unwrap_or_default()
    }

    /// The variables of the caller that it cannot do without.
    pub(crate) fn needed_variables(&self) -> impl Iterator<Item = (&str, bool)> {
        let steps = self.steps.iter().flat_map(|step| step.tests_env.values());
        let all = self.env.values().chain(steps).map(|value| (value, false));
        let all = all.chain(self.solution_env.values().map(|value| (value, true)));
        all.filter_map(|(value, of_solution)| match template(value) {
            Some((name, None)) => Some((name, of_solution)),
            _ => None,
        })
    }
}

/// The name and the default of a value that stands for one of the caller's variables.
fn template(value: &str) -> Option<(&str, Option<&str>)> {
    let inner = value.strip_prefix("${")?.strip_suffix('}')?;
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    (!name.is_empty() && !name.contains(['}', ':'])).then_some((name, default))
}

/// Variables with what they stand for; else the name of the caller's variable that is not there.
pub(crate) fn resolved(variables: &Variables, caller: &Variables) -> Result<Variables, String> {
    let one = |(name, value): (&String, &String)| {
        let value = match template(value) {
            None => value.clone(),
            Some((of, default)) => match (caller.get(of), default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => default.to_owned(),
                (None, None) => {
                    return Err(format!(
                        "the task's variable `{name}` stands for your variable `{of}`, which is not set"
                    ));
                }
            },
        };
        Ok((name.clone(), value))
    };
    variables.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::{Variables, resolved};

    #[test]
    fn a_template_stands_for_a_variable_of_the_caller_and_nothing_else_does() {
        let table = |pairs: &[(&str, &str)]| -> Variables {
            let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            pairs.iter().map(own).collect()
        };
        let caller = table(&[("HAVE", "yes")]);
        let given = table(&[
            ("a", "${HAVE}"),
            ("b", "${LACK:-no}"),
            ("c", "x${HAVE}"),
            ("d", "${HAVE:-no}"),
            ("e", "${LACK:-}"),
        ]);
        let wanted = table(&[
            ("a", "yes"),
            ("b", "no"),
            ("c", "x${HAVE}"),
            ("d", "yes"),
            ("e", ""),
        ]);
        assert_eq!(resolved(&given, &caller), Ok(wanted));
        let wrong = resolved(&table(&[("a", "${LACK}")]), &caller).unwrap_err();
        assert!(wrong.contains("`a`") && wrong.contains("`LACK`"), "{wrong}");
    }
}
