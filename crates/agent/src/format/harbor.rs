//! Harbor's tasks: `task.toml`, `instruction.md`, `environment/`, `tests/` and `solution/`, and `steps/` in tasks of several
//! steps. What Fairtrial cannot do as Harbor does it is refused, never passed over.

use super::folder::{image_files, read_config, read_folder, read_optional};
use super::harbor_config::{Config, Environment, Setup, Tests};
use crate::contained::{Contained, Health, Step, StepRule, Variables};
use crate::error::AgentError;
use crate::findings::Findings;
use crate::format::contract::TaskFormat;
use crate::task::AgentTask;
use crate::task_file::{FileBody, FileSet};
use fairtrial_spec::Format;
use std::collections::BTreeMap;
use std::path::Path;

/// The file that makes a folder a task of Harbor.
const CONFIG: &str = "task.toml";
const INSTRUCTIONS: &str = "instruction.md";
const DOCKERFILE: &str = "Dockerfile";
/// Files that ask for more than one container.
const COMPOSE: [&str; 4] = [
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.yaml",
    "singularity-compose.yaml",
];
/// The script of the tests, and that of the solution.
const TEST: &str = "test.sh";
const SOLVE: &str = "solve.sh";

pub(super) struct Harbor;

impl TaskFormat for Harbor {
    fn name(&self) -> &'static str {
        "a task of Harbor with task.toml"
    }

    fn recognises(&self, dir: &Path) -> bool {
        dir.join(CONFIG).is_file()
    }

    fn read(&self, dir: &Path, findings: &mut Findings) -> Result<AgentTask, AgentError> {
        let config: Config = read_config(&dir.join(CONFIG), Format::Toml)?;
        refuse(&config, dir, findings);
        let environment = &config.environment;
        let mut contained = Contained {
            format: "Harbor".to_owned(),
            rule: match config.multi_step_reward_strategy.as_deref() {
                Some("final") => StepRule::Final,
                _ => StepRule::Mean,
            },
            env: environment.env.clone(),
            solution_env: config.solution.env.clone(),
            workdir: environment.workdir.clone(),
            cpus: environment.cpus,
            memory_bytes: environment.memory(findings),
            disk_bytes: environment.storage(findings),
            build_timeout_s: environment.build_timeout_sec,
            network: environment.baseline(findings),
            health: environment.healthcheck.clone(),
            artifacts: config.artifacts.iter().map(Into::into).collect(),
            collect: config.verifier.collect.iter().map(Into::into).collect(),
            ..Contained::default()
        };
        let networks = [
            config.agent.network(findings),
            config.verifier.network(findings),
        ];
        let [agent, tests] = networks.map(|own| own.unwrap_or_else(|| contained.network.clone()));
        (contained.agent_network, contained.tests_network) = (agent, tests);
        let mut folders = Folders {
            dir,
            found: BTreeMap::new(),
        };
        contained.steps = steps(&config, &mut folders, findings)?;
        contained.folders = folders.found;
        let name = config.task.name.rsplit('/').next().unwrap_or_default();
        let folder = dir.file_name().unwrap_or_default().to_string_lossy();
        Ok(AgentTask {
            id: folder.into_owned(),
            title: if config.task.description.is_empty() {
                name.to_owned()
            } else {
                config.task.description.clone()
            },
            instructions: told(&contained.steps),
            image: Some(image(environment, dir, findings)?),
            contained: Some(contained),
            ..AgentTask::default()
        })
    }
}

/// All that the agent is told, step by step.
fn told(steps: &[Step]) -> String {
    let one = |step: &Step| match step.name.as_str() {
        "" => step.instructions.clone(),
        name => format!("# {name}\n\n{}", step.instructions),
    };
    let all: Vec<String> = steps.iter().map(one).collect();
    all.join("\n\n")
}

/// Says what of a task Fairtrial does not do.
fn refuse(config: &Config, dir: &Path, findings: &mut Findings) {
    let environment = &config.environment;
    let mut cannot = |what: &str| {
        findings.error(format!(
            "{what}: Fairtrial does not do this; run the task with Harbor, whose job folders `compare` and `report` read"
        ));
    };
    if environment
        .os
        .as_deref()
        .is_some_and(|os| !os.eq_ignore_ascii_case("linux"))
    {
        cannot("its container is one of Windows (`environment.os`)");
    }
    if environment.gpus.unwrap_or(0) > 0 || environment.tpu.is_some() {
        cannot("its container has accelerators (`environment.gpus`, `tpu`)");
    }
    if COMPOSE
        .iter()
        .any(|name| dir.join("environment").join(name).is_file())
    {
        cannot("its environment is made of several containers (a compose file)");
    }
    let steps = config.steps.iter().map(|step| &step.verifier);
    if steps.chain([&config.verifier]).any(Tests::is_separate) {
        cannot(
            "its tests run in a container of their own (`verifier.environment_mode = \"separate\"`)",
        );
    }
    let has_network = |step: &super::harbor_config::StepConfig| {
        step.agent.network_mode.is_some() || step.verifier.network_mode.is_some()
    };
    if config.steps.iter().any(has_network) {
        cannot("a step has a network of its own (`network_mode` of a step)");
    }
    let services = config
        .verifier
        .collect
        .iter()
        .map(|collect| &collect.service);
    if services.flatten().any(|service| service != "main") {
        cannot("it collects from a further container (`service` of `verifier.collect`)");
    }
    if !environment.mcp_servers.is_empty() {
        findings
            .warn("its MCP servers (`environment.mcp_servers`) are not made known to the agent");
    }
    if environment.skills_dir.is_some() {
        findings.warn("its skills (`environment.skills_dir`) are not made known to the agent");
    }
}

/// What the container's image is built from: the prepared one that the task names, or its `Dockerfile`.
fn image(
    environment: &Environment,
    dir: &Path,
    findings: &mut Findings,
) -> Result<FileSet, AgentError> {
    if let Some(name) = &environment.docker_image {
        // Built from it alone, so that the builder fetches it and `gc --images` finds it.
        let text = FileBody::text(&format!("FROM {name}\n"));
        return Ok(FileSet::of([(DOCKERFILE.to_owned(), text)].into()));
    }
    let folder = dir.join("environment");
    if !folder.join(DOCKERFILE).is_file() {
        findings.error(
            "it has neither `environment/Dockerfile` nor `environment.docker_image`, so there is no container",
        );
        return Ok(FileSet::default());
    }
    Ok(FileSet::of(image_files(&folder, &[], findings)?))
}

/// The folders of a task that are put into its container.
struct Folders<'a> {
    dir: &'a Path,
    found: BTreeMap<String, FileSet>,
}

impl Folders<'_> {
    /// Reads a folder, where there is one; gives its name then.
    fn take(&mut self, name: &str) -> Result<Option<String>, AgentError> {
        let folder = self.dir.join(name);
        if !folder.is_dir() {
            return Ok(None);
        }
        if !self.found.contains_key(name) {
            let mut files = BTreeMap::new();
            read_folder(&folder, &mut files)?;
            self.found.insert(name.to_owned(), FileSet::of(files));
        }
        Ok(Some(name.to_owned()))
    }

    fn has(&self, folder: &str, file: &str) -> bool {
        let found = self.found.get(folder);
        found.is_some_and(|set| set.files.contains_key(file))
    }
}

fn steps(
    config: &Config,
    folders: &mut Folders<'_>,
    findings: &mut Findings,
) -> Result<Vec<Step>, AgentError> {
    if config.steps.is_empty() {
        let whole = Wanted {
            name: "",
            agent: &config.agent,
            tests: &config.verifier,
            env: config.verifier.env.clone(),
        };
        return Ok(vec![whole.read(config, folders, findings)?]);
    }
    let mut steps = Vec::new();
    for step in &config.steps {
        if steps
            .iter()
            .any(|known: &Step| known.name.eq_ignore_ascii_case(&step.name))
        {
            findings.error(format!("two steps have the name `{}`", step.name));
        }
        if !crate::paths::is_inside(&step.name) || step.name.contains('/') {
            findings.error(format!("`{}` is no name of a step", step.name));
            continue;
        }
        let mut env = config.verifier.env.clone();
        env.extend(step.verifier.env.clone());
        let wanted = Wanted {
            name: &step.name,
            agent: &step.agent,
            tests: &step.verifier,
            env,
        };
        let mut read = wanted.read(config, folders, findings)?;
        read.health.clone_from(&step.healthcheck);
        read.min_reward = step.least();
        read.artifacts = step.artifacts.iter().map(Into::into).collect();
        steps.push(read);
    }
    Ok(steps)
}

/// A step that is to be read: what it says itself, over what the task says.
struct Wanted<'a> {
    name: &'a str,
    agent: &'a Setup,
    tests: &'a Tests,
    env: Variables,
}

impl Wanted<'_> {
    fn read(
        self,
        config: &Config,
        folders: &mut Folders<'_>,
        findings: &mut Findings,
    ) -> Result<Step, AgentError> {
        let Self {
            name,
            agent,
            tests,
            env,
        } = self;
        let base = match name {
            "" => String::new(),
            name => format!("steps/{name}/"),
        };
        let own = |folder: &str| format!("{base}{folder}");
        let path = folders.dir.join(own(INSTRUCTIONS));
        let instructions = read_optional(&path)?;
        if instructions.is_none() {
            findings.error(format!("`{}` is not there", own(INSTRUCTIONS)));
        }
        let mut from = Vec::new();
        for folder in ["tests".to_owned(), own("tests")] {
            let taken = folders.take(&folder)?;
            from.extend(taken.filter(|name| !from.contains(name)));
        }
        if !from.iter().any(|folder| folders.has(folder, TEST)) {
            findings.error(format!(
                "`{}/{TEST}` is not there: nothing would score it",
                own("tests")
            ));
        }
        let mut solution = folders.take(&own("solution"))?;
        if solution.is_none() {
            solution = folders.take("solution")?;
        }
        Ok(Step {
            name: name.to_owned(),
            instructions: without_canary(&instructions.unwrap_or_default()),
            agent_timeout_s: agent.timeout_sec.or(config.agent.timeout_sec),
            agent_user: agent.user().or_else(|| config.agent.user()),
            tests_timeout_s: tests
                .timeout_sec
                .or(config.verifier.timeout_sec)
                .unwrap_or(super::harbor_config::TESTS_TIMEOUT),
            tests_user: tests.user().or_else(|| config.verifier.user()),
            tests_env: env,
            tests: from,
            solution: solution.filter(|folder| folders.has(folder, SOLVE)),
            workdir: match name {
                "" => None,
                _ => folders.take(&own("workdir"))?,
            },
            health: None::<Health>,
            min_reward: BTreeMap::new(),
            artifacts: Vec::new(),
        })
    }
}

/// Leading lines that mark the text as part of a benchmark are not for the agent.
pub(super) fn without_canary(text: &str) -> String {
    let is_canary = |line: &str| {
        let line = line.trim().to_lowercase();
        let comment = (line.starts_with("<!--") && line.ends_with("-->")) || line.starts_with('#');
        comment && line.contains("canary")
    };
    let mut lines = text.split('\n').peekable();
    while lines.next_if(|line| is_canary(line)).is_some() {}
    while lines.next_if(|line| line.trim().is_empty()).is_some() {}
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::without_canary;

    #[test]
    fn marks_of_a_benchmark_are_not_for_the_agent() {
        let text = "<!-- BENCH canary GUID x -->\n# Canary: y\n\n# Title\ncanary stays\n";
        assert_eq!(without_canary(text), "# Title\ncanary stays\n");
        assert_eq!(without_canary("plain\n"), "plain\n");
    }
}
