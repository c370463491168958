//! Harbor's job folders: one `result.json` per trial. The job's own summary is not used; trials are the truth.
//!
//! A trial with a reward and an exception (a time limit, say) is scored. One without a reward failed, unless the sandbox,
//! the model's provider or Harbor itself broke: that says nothing about the agent.

use super::agent_metrics::{Numbers, Tokens};
use crate::error::InteropError;
use crate::execution::Execution;
use crate::folder::entries;
use crate::format::{Format, ReadUnit};
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::sink::Sink;
use crate::time;
use fairtrial_model::{Number, Outcome, UtcTime};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// See the module.
pub(crate) struct Harbor;

const RESULT: &str = "result.json";
const CONFIG: &str = "config.json";
const TASK: &[&str] = &["?dataset", "task"];
const RULES: Rules = Rules::tasks(
    &[
        way(Arm::Fields(&["agent", "model"]), TASK),
        way(Arm::Fields(&["job"]), TASK),
        way(Arm::None, TASK),
    ],
    &[],
);

impl Format for Harbor {
    fn name(&self) -> &'static str {
        "harbor"
    }

    fn title(&self) -> &'static str {
        "trials of Harbor"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["trial_name", "task_name", "verifier_result"])
    }

    fn knows_folder(&self, folder: &Path) -> bool {
        let has = |name: &str| folder.join(name).is_file();
        if !has(CONFIG) {
            return false;
        }
        let is_trial = |folder: &Path| {
            let head = Head::read(&folder.join(RESULT));
            head.is_ok_and(|head| self.knows_file(&head))
        };
        let inside = entries(folder).unwrap_or_default();
        let mut folders = inside.iter().filter(|(_, is_folder)| *is_folder);
        is_trial(folder) || folders.any(|(path, _)| is_trial(path))
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let trial: TrialResult = Json::new(input.name(), input.reader()?).value("trial")?;
        let execution = trial.execution(&path, sink);
        sink.execution(execution);
        Ok(())
    }

    fn read(&self, unit: &ReadUnit, sink: &mut dyn Sink) -> Result<(), InteropError> {
        for path in &unit.paths {
            if path.is_file() {
                self.read_file(Input::open(path)?, sink)?;
            } else if path.join(RESULT).is_file() && path.join("trial.log").is_file() {
                self.read_file(Input::open(&path.join(RESULT))?, sink)?;
            } else {
                job(path, sink)?;
            }
        }
        Ok(())
    }
}

/// The trials of a job, in the order in which they began: their names end in random letters.
fn job(folder: &Path, sink: &mut dyn Sink) -> Result<(), InteropError> {
    let mut found: Vec<Execution> = Vec::new();
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    for (trial, is_folder) in entries(folder)? {
        let result = trial.join(RESULT);
        if !is_folder || !trial.join(CONFIG).is_file() {
            continue;
        }
        let mut execution = if result.is_file() {
            let input = Input::open(&result)?;
            let trial: TrialResult = Json::new(input.name(), input.reader()?).value("trial")?;
            trial.execution(&result, sink)
        } else {
            unfinished(&trial)?
        };
        execution.set_some("job", name.as_deref());
        found.push(execution);
    }
    found.sort_by(|a, b| (a.started_at, &a.source).cmp(&(b.started_at, &b.source)));
    for execution in found {
        sink.execution(execution);
    }
    Ok(())
}

/// A trial that left no result: only its config says what it was.
fn unfinished(folder: &Path) -> Result<Execution, InteropError> {
    let path = folder.join(CONFIG);
    let input = Input::open(&path)?;
    let config: Config = Json::new(input.name(), input.reader()?).value("config")?;
    let mut execution = Execution::of(&path);
    let task = config.task["path"]
        .as_str()
        .or(config.task["name"].as_str());
    let task = task.map(|task| task.rsplit('/').next().unwrap_or(task));
    execution.set_some("task", task);
    execution.set_some("dataset", config.task["source"].as_str());
    config.agent.describe(&mut execution);
    execution.fail(
        Outcome::Cancelled,
        "no result: the trial did not come to its end",
    );
    Ok(execution)
}

#[derive(Deserialize)]
struct TrialResult {
    task_name: String,
    trial_name: String,
    #[serde(default)]
    source: Option<String>,
    config: Config,
    #[serde(default)]
    agent_info: Option<AgentInfo>,
    #[serde(default)]
    agent_result: Option<AgentResult>,
    #[serde(default)]
    verifier_result: Option<Verified>,
    #[serde(default)]
    exception_info: Option<Exception>,
    #[serde(default)]
    started_at: Option<String>,
    #[serde(default)]
    finished_at: Option<String>,
    #[serde(default)]
    agent_execution: Option<TimedPhase>,
    #[serde(default)]
    step_results: Option<Vec<StepResult>>,
}

#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    task: Value,
    #[serde(default)]
    agent: Agent,
}

#[derive(Default, Deserialize)]
struct Agent {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    import_path: Option<String>,
    #[serde(default)]
    model_name: Option<String>,
}

#[derive(Deserialize)]
struct AgentInfo {
    #[serde(default)]
    version: Option<String>,
}

#[derive(Deserialize)]
struct AgentResult {
    #[serde(default)]
    n_input_tokens: Option<f64>,
    #[serde(default)]
    n_cache_tokens: Option<f64>,
    #[serde(default)]
    n_output_tokens: Option<f64>,
    #[serde(default)]
    cost_usd: Option<f64>,
}

#[derive(Deserialize)]
struct Verified {
    #[serde(default)]
    rewards: Option<BTreeMap<String, Number>>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(default)]
    exception_type: String,
    #[serde(default)]
    exception_message: String,
}

#[derive(Deserialize)]
struct TimedPhase {
    #[serde(default)]
    started_at: Option<String>,
    #[serde(default)]
    finished_at: Option<String>,
}

#[derive(Deserialize)]
struct StepResult {
    #[serde(default)]
    exception_info: Option<Exception>,
}

impl Agent {
    fn describe(&self, execution: &mut Execution) {
        let name = self.name.as_deref().or(self.import_path.as_deref());
        execution.set_some("agent", name);
        execution.set_some("model", self.model_name.as_deref());
    }
}

impl TrialResult {
    fn execution(mut self, path: &Path, sink: &mut dyn Sink) -> Execution {
        let mut execution = Execution::of(PathBuf::from(path));
        execution.set("task", &self.task_name);
        execution.set("trial", &self.trial_name);
        execution.set_some("dataset", self.source.as_deref());
        self.config.agent.describe(&mut execution);
        let version = self
            .agent_info
            .as_ref()
            .and_then(|info| info.version.as_deref());
        execution.set_some("agent_version", version);
        execution.started_at = at(self.started_at.as_deref());
        execution.ended_at = at(self.finished_at.as_deref());
        let rewards = self
            .verifier_result
            .take()
            .and_then(|result| result.rewards);
        let rewards = rewards.unwrap_or_default();
        self.numbers(&rewards, &mut execution, sink);
        // In a trial of several steps the exception may stand with its step alone.
        let steps = self.step_results.into_iter().flatten();
        let exception = self
            .exception_info
            .or_else(|| steps.filter_map(|step| step.exception_info).next_back());
        match exception {
            Some(exception) if rewards.is_empty() => exception.blame(&mut execution),
            Some(exception) => execution
                .notes
                .push(format!("{}, scored all the same", exception.exception_type)),
            None if rewards.is_empty() => {
                execution.fail(Outcome::Failed, "the verifier gave no reward");
            }
            None => {}
        }
        execution
    }

    fn numbers(
        &self,
        rewards: &BTreeMap<String, Number>,
        execution: &mut Execution,
        sink: &mut dyn Sink,
    ) {
        let whole = execution.started_at.zip(execution.ended_at);
        let mut numbers = Numbers { execution, sink };
        let only = rewards.values().next().filter(|_| rewards.len() == 1);
        let score = rewards.get("reward").or(only);
        numbers.score(score.map(|reward| reward.0));
        for (name, reward) in rewards {
            numbers.named_score(name, Some(reward.0));
        }
        let seconds = |(from, to): (UtcTime, UtcTime)| time::seconds_between(from, to);
        numbers.seconds("time", whole.map(seconds));
        let agent = self.agent_execution.as_ref().and_then(|phase| {
            let from = at(phase.started_at.as_deref())?;
            Some((from, at(phase.finished_at.as_deref())?))
        });
        numbers.seconds("agent_time", agent.map(seconds));
        if let Some(result) = &self.agent_result {
            numbers.tokens(&Tokens {
                input: result.n_input_tokens,
                output: result.n_output_tokens,
                cached: result.n_cache_tokens,
                total: None,
            });
            numbers.cost(result.cost_usd);
        }
    }
}

fn at(text: Option<&str>) -> Option<UtcTime> {
    text.and_then(time::from_text)
}

impl Exception {
    /// Whose fault a trial without a reward is, by the name of what was raised.
    fn blame(&self, execution: &mut Execution) {
        let name = self.exception_type.as_str();
        let any = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let outcome = if any(&["Cancelled", "KeyboardInterrupt"]) {
            Outcome::Cancelled
        } else if name == "AgentTimeoutError" {
            Outcome::Timeout
        } else if any(&[
            "Environment",
            "Sandbox",
            "Docker",
            "HealthcheckError",
            "AgentSetupTimeoutError",
            "RateLimit",
            "APIConnection",
            "APIStatus",
            "APIError",
            "InternalServer",
            "ServiceUnavailable",
            "Authentication",
            "Overloaded",
            "DownloadVerifierDirError",
            "AddTestsDirError",
        ]) {
            Outcome::Infra
        } else {
            Outcome::Failed
        };
        let first = self.exception_message.lines().next().unwrap_or_default();
        execution.fail(outcome, format!("{name}: {first}"));
    }
}
