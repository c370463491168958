//! Terminal-Bench 1: `runs/<run>/<task>/<trial>/results.json`, and the list of all of them in the run's own.

use super::agent_metrics::{Numbers, Tokens};
use crate::error::InteropError;
use crate::execution::Execution;
use crate::folder::entries;
use crate::format::{Format, ReadUnit};
use crate::head::Head;
use crate::input::Input;
use crate::json::{Json, JsonKind};
use crate::rules::{Arm, Rules, way};
use crate::sink::Sink;
use crate::time;
use fairtrial_model::{Outcome, UtcTime};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// See the module.
pub(crate) struct TerminalBench;

const RESULTS: &str = "results.json";
const METADATA: &str = "run_metadata.json";
const TASK: &[&str] = &["task"];
const RULES: Rules = Rules::tasks(
    &[
        way(Arm::Fields(&["agent", "model"]), TASK),
        way(Arm::Fields(&["run"]), TASK),
        way(Arm::None, TASK),
    ],
    &[],
);

impl Format for TerminalBench {
    fn name(&self) -> &'static str {
        "terminal-bench"
    }

    fn title(&self) -> &'static str {
        "runs of Terminal-Bench"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["results[].task_id", "results[].is_resolved"])
            || head.has(&["task_id", "trial_name", "is_resolved"])
    }

    fn knows_folder(&self, folder: &Path) -> bool {
        let results = || Head::read(&folder.join(RESULTS));
        folder.join(METADATA).is_file()
            || results().is_ok_and(|head| head.has(&["results[].is_resolved"]))
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let run = path
            .parent()
            .map(Run::read)
            .transpose()?
            .unwrap_or_default();
        read(input, &run, sink)
    }

    /// The files of the trials are the truth; the run's own list counts where there is none of them.
    fn read(&self, unit: &ReadUnit, sink: &mut dyn Sink) -> Result<(), InteropError> {
        for path in &unit.paths {
            if path.is_file() {
                self.read_file(Input::open(path)?, sink)?;
                continue;
            }
            let run = Run::read(path)?;
            let mut found = 0;
            for (task, is_folder) in entries(path)? {
                let trials = if is_folder {
                    entries(&task)?
                } else {
                    Vec::new()
                };
                for (trial, _) in trials {
                    let results = trial.join(RESULTS);
                    if results.is_file() {
                        read(Input::open(&results)?, &run, sink)?;
                        found += 1;
                    }
                }
            }
            if found == 0 {
                read(Input::open(&path.join(RESULTS))?, &run, sink)?;
            }
        }
        Ok(())
    }
}

/// What a run's metadata says about all of its trials.
#[derive(Default, Deserialize)]
struct Run {
    #[serde(default)]
    run_id: Option<String>,
    #[serde(default)]
    agent_name: Option<String>,
    #[serde(default)]
    model_name: Option<String>,
    #[serde(default)]
    dataset_name: Option<String>,
}

impl Run {
    fn read(folder: &Path) -> Result<Self, InteropError> {
        let path = folder.join(METADATA);
        if !path.is_file() {
            return Ok(Self::default());
        }
        let input = Input::open(&path)?;
        Json::new(input.name(), input.reader()?).value("run_metadata")
    }
}

fn read(input: Input<'_>, run: &Run, sink: &mut dyn Sink) -> Result<(), InteropError> {
    let path = input.path().to_owned();
    let mut json = Json::new(input.name(), input.reader()?);
    // A list of trials has them under `results`; a trial has its own keys.
    let mut own = serde_json::Map::new();
    let mut listed = false;
    json.object(|key, json| {
        if key == "results" && json.kind()? == JsonKind::Array {
            listed = true;
            return json.array(|json| {
                let trial: AttemptResult = json.value("results")?;
                trial.give(&path, run, sink);
                Ok(())
            });
        }
        own.insert(key.to_owned(), json.value(key)?);
        Ok(())
    })?;
    if !listed {
        let trial = AttemptResult::deserialize(Value::Object(own))
            .map_err(|error| InteropError::content(json.place(), error.to_string()))?;
        trial.give(&path, run, sink);
    }
    Ok(())
}

#[derive(Deserialize)]
struct AttemptResult {
    task_id: String,
    #[serde(default)]
    trial_name: Option<String>,
    #[serde(default)]
    is_resolved: Option<bool>,
    #[serde(default)]
    failure_mode: Option<String>,
    #[serde(default)]
    parser_results: Option<BTreeMap<String, String>>,
    #[serde(default)]
    total_input_tokens: Option<f64>,
    #[serde(default)]
    total_output_tokens: Option<f64>,
    #[serde(default)]
    trial_started_at: Option<String>,
    #[serde(default)]
    trial_ended_at: Option<String>,
    #[serde(default)]
    agent_started_at: Option<String>,
    #[serde(default)]
    agent_ended_at: Option<String>,
}

impl AttemptResult {
    fn give(self, path: &Path, run: &Run, sink: &mut dyn Sink) {
        let mut execution = Execution::of(path);
        execution.set("task", &self.task_id);
        execution.set_some("trial", self.trial_name.as_deref());
        execution.set_some("agent", run.agent_name.as_deref());
        execution.set_some("model", run.model_name.as_deref());
        execution.set_some("run", run.run_id.as_deref());
        execution.set_some("dataset", run.dataset_name.as_deref());
        let at = |text: &Option<String>| text.as_deref().and_then(time::from_text);
        execution.started_at = at(&self.trial_started_at);
        execution.ended_at = at(&self.trial_ended_at);
        let seconds = |(from, to): (UtcTime, UtcTime)| time::seconds_between(from, to);
        let whole = execution.started_at.zip(execution.ended_at);
        let mut numbers = Numbers {
            execution: &mut execution,
            sink,
        };
        let solved = self.is_resolved.map(|solved| f64::from(u8::from(solved)));
        numbers.score(solved);
        if let Some(tests) = self.parser_results.filter(|tests| !tests.is_empty()) {
            let passed = tests.values().filter(|word| *word == "passed").count();
            let share = passed as f64 / tests.len() as f64;
            numbers.named_score("tests_passed", Some(share));
        }
        numbers.tokens(&Tokens {
            input: self.total_input_tokens,
            output: self.total_output_tokens,
            ..Tokens::default()
        });
        numbers.seconds("time", whole.map(seconds));
        let agent = at(&self.agent_started_at).zip(at(&self.agent_ended_at));
        numbers.seconds("agent_time", agent.map(seconds));
        let mode = self
            .failure_mode
            .filter(|mode| mode != "none" && mode != "unset");
        if self.is_resolved.is_none() {
            let mode = mode.unwrap_or_else(|| "no result of the tests".to_owned());
            let outcome = if mode.contains("timeout") {
                Outcome::Timeout
            } else {
                Outcome::Failed
            };
            execution.fail(outcome, mode);
        } else if let Some(mode) = mode {
            execution.notes.push(format!("{mode}, scored all the same"));
        }
        sink.execution(execution);
    }
}
