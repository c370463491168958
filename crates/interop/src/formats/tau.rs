//! tau2-bench's `results.json` and the older tau-bench's list: simulations of a task, with a reward each.

use super::agent_metrics::Numbers;
use crate::error::InteropError;
use crate::execution::{Execution, FactKind};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::{Json, JsonKind};
use crate::rules::{Arm, Rules, way};
use crate::sink::Sink;
use crate::time;
use fairtrial_model::{Number, Outcome, Params};
use serde::Deserialize;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// See the module.
pub(crate) struct Tau;

const TASK: &[&str] = &["?domain", "task"];
const RULES: Rules = Rules::tasks(
    &[
        way(Arm::Fields(&["agent", "model"]), TASK),
        way(Arm::None, TASK),
    ],
    &["trial"],
);

impl Format for Tau {
    fn name(&self) -> &'static str {
        "tau-bench"
    }

    fn title(&self) -> &'static str {
        "simulations of tau-bench"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["info.agent_info", "info.environment_info"])
            || head.has(&["simulations[].task_id", "simulations[].reward_info"])
            || head.has(&["[].task_id", "[].reward", "[].trial"])
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        if json.kind()? == JsonKind::Array {
            return json.array(|json| {
                let simulation = Simulation::read(json)?;
                simulation.give(&path, &Info::default(), sink);
                Ok(())
            });
        }
        let mut info = Info::default();
        json.object(|key, json| match key {
            "info" => {
                info = json.value(key)?;
                super::shared::fact(sink, FactKind::Tool, "tau2", &info.git_commit);
                Ok(())
            }
            "simulations" => json.array(|json| {
                let simulation = Simulation::read(json)?;
                simulation.give(&path, &info, sink);
                Ok(())
            }),
            _ => json.skip(),
        })
    }
}

#[derive(Default, Deserialize)]
struct Info {
    #[serde(default)]
    git_commit: Value,
    #[serde(default)]
    agent_info: Value,
    #[serde(default)]
    environment_info: Value,
}

/// What is kept of a simulation; its messages are not.
#[derive(Default)]
struct Simulation {
    task: Value,
    trial: Value,
    seed: Value,
    reward: Option<Number>,
    ended: Option<String>,
    error: Option<String>,
    duration: Option<Number>,
    agent_cost: Option<Number>,
    started: Option<String>,
    ended_at: Option<String>,
}

#[derive(Deserialize)]
struct RewardInfo {
    #[serde(default)]
    reward: Option<Number>,
}

impl Simulation {
    fn read<R: Read>(json: &mut Json<R>) -> Result<Self, InteropError> {
        let mut found = Self::default();
        json.object(|key, json| {
            match key {
                "task_id" => found.task = json.value(key)?,
                "trial" => found.trial = json.value(key)?,
                "seed" => found.seed = json.value(key)?,
                "reward" => found.reward = json.value(key)?,
                "reward_info" => {
                    let info: Option<RewardInfo> = json.value(key)?;
                    found.reward = info.and_then(|info| info.reward);
                }
                "termination_reason" => found.ended = json.value(key)?,
                "duration" => found.duration = json.value(key)?,
                "agent_cost" => found.agent_cost = json.value(key)?,
                "start_time" => found.started = json.value(key)?,
                "end_time" => found.ended_at = json.value(key)?,
                "info" => {
                    // The older form puts what was raised here.
                    let info: Value = json.value(key)?;
                    found.error = info["error"].as_str().map(str::to_owned);
                }
                _ => return json.skip(),
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn give(self, path: &Path, info: &Info, sink: &mut dyn Sink) {
        let mut execution = Execution::of(path);
        execution.set("task", Params::display(&self.task));
        execution.set_some("domain", info.environment_info["domain_name"].as_str());
        execution.set_some("agent", info.agent_info["implementation"].as_str());
        execution.set_some("model", info.agent_info["llm"].as_str());
        for (field, value) in [("trial", &self.trial), ("simulation_seed", &self.seed)] {
            if !value.is_null() {
                execution.fields.set(field, value.clone());
            }
        }
        let at = |text: &Option<String>| text.as_deref().and_then(time::from_text);
        execution.started_at = at(&self.started);
        execution.ended_at = at(&self.ended_at);
        let mut numbers = Numbers {
            execution: &mut execution,
            sink,
        };
        numbers.score(self.reward.map(|reward| reward.0));
        numbers.seconds("time", self.duration.map(|seconds| seconds.0));
        numbers.cost(self.agent_cost.map(|cost| cost.0));
        let reason = self.ended.unwrap_or_default();
        if let Some(error) = self.error {
            execution.fail(Outcome::Failed, error);
        } else if reason.contains("infrastructure") {
            execution.fail(Outcome::Infra, reason);
        } else if self.reward.is_none() {
            execution.fail(Outcome::Failed, format!("no reward ({reason})"));
        } else if !matches!(reason.as_str(), "" | "agent_stop" | "user_stop") {
            execution.notes.push(format!("ended by {reason}"));
        }
        sink.execution(execution);
    }
}
