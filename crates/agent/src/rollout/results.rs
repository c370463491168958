//! What a rollout leaves about its agent: metrics and facts for the record, `results.json` and `metadata.json`.

use super::agent_phase::AgentEnd;
use super::agent_version::VERSION_FACT;
use super::report::{Report, RolloutEnd};
use crate::bulk::LARGEST;
use crate::collect::Kept;
use crate::error::{AgentError, At};
use crate::rollout::driven::{Drive, Phases};
use crate::score::files::DIFF_FILE;
use fairtrial_episode::read_own;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_model::{CAUSE_FACT, Direction, MetricDeclaration, OOM_FACT};
use fairtrial_spec::RolloutOptions;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;

/// The file with how the agent ended.
pub const RESULTS_FILE: &str = "results.json";

/// The metrics that every rollout may report and that say which way is better.
const DIRECTED: [(&str, Direction); 4] = [
    ("score", Direction::Up),
    ("solved", Direction::Up),
    ("tokens_total", Direction::Down),
    ("cost_usd", Direction::Down),
];

/// These metrics as a spec would declare them.
pub fn declared_metrics() -> impl Iterator<Item = MetricDeclaration> {
    DIRECTED.iter().map(|(name, direction)| MetricDeclaration {
        direction: Some(*direction),
        ..MetricDeclaration::named(*name)
    })
}

/// What kept a rollout's agent from its work, as its rollout wrote it down: the provider's trouble or the machine's.
/// Whatever such an agent left is not scored.
pub fn agent_trouble(dir: &Path) -> Option<String> {
    let text = read_own(&dir.join(RESULTS_FILE), LARGEST).ok()?;
    let results: Value = serde_json::from_slice(&text).ok()?;
    results["infra"].as_str().map(str::to_owned)
}

/// A JSON file that a rollout wrote.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, AgentError> {
    let text = read_own(path, LARGEST).at("read", path)?;
    serde_json::from_slice(&text).map_err(|error| AgentError::Content {
        path: path.to_owned(),
        message: error.to_string(),
    })
}

impl Drive<'_> {
    pub(super) fn agent_report(
        &self,
        agent: &AgentEnd,
        kept: Option<&Kept>,
        report: &mut Report,
    ) -> Result<(), AgentError> {
        let usage = &agent.usage;
        let (cost, source) = usage.cost(self.options.agent.price);
        let count = |count: Option<u64>| count.map(Value::from);
        for (name, value) in [
            ("agent_s", Some(Value::from(agent.seconds))),
            ("diff_lines", kept.map(|kept| Value::from(kept.diff_lines))),
            ("tokens_total", count(usage.tokens())),
            ("tokens_input", count(usage.input_tokens)),
            ("tokens_output", count(usage.output_tokens)),
            ("tokens_cached", count(usage.cached_tokens)),
            ("tokens_reasoning", count(usage.reasoning_tokens)),
            ("tool_calls", count(usage.tool_calls)),
            ("cost_usd", cost.map(Value::from)),
        ] {
            report
                .metrics
                .extend(value.map(|value| (name.to_owned(), value)));
        }
        let mut fact = |name: &str, value: &str| {
            report.facts.insert(name.to_owned(), value.into());
        };
        fact("agent", &self.options.agent.name);
        fact("model", &self.model);
        fact("sandbox", self.sandbox.kind().word());
        fact("cost_source", source.word());
        if let Some(version) = self.agent_version()? {
            fact(VERSION_FACT, &version);
        }
        fact("task_digest", &self.task.given_digest());
        if let Some(digest) = self.answer_digest(agent, kept) {
            fact("answer_digest", &digest);
        }
        if let Some(limited) = &agent.limited {
            fact("limited", limited);
        }
        if let Some(failed) = &agent.failed {
            fact(CAUSE_FACT, failed);
            if agent.out_of_memory {
                let limit = self.sandbox.caps().memory_bytes;
                fact(OOM_FACT, &limit.to_string());
            }
            report.end = RolloutEnd::Failed;
        }
        if agent.coped {
            report.note(
                "a process in the sandbox was ended at its memory limit (`limits.memory`), and the agent went on",
            );
        }
        for note in &agent.notes {
            report.note(note);
        }
        let is_nothing = kept.is_some_and(Kept::is_nothing);
        if let Some(words) = agent.last_words.as_ref().filter(|_| is_nothing) {
            report.note(&format!(
                "the agent ended with exit code 0 and changed nothing, but its last words are of {words}"
            ));
        }
        Ok(())
    }

    pub(super) fn write_results(
        &self,
        agent: &AgentEnd,
        kept: Option<&Kept>,
    ) -> Result<(), AgentError> {
        self.write_json(
            RESULTS_FILE,
            &json!({
                "run_id": self.trial.name,
                "task_id": self.task.id,
                "exit_code": agent.code,
                "limited": agent.limited,
                "failed": agent.failed,
                "out_of_memory": agent.out_of_memory,
                "infra": agent.infra.as_ref().map(|trouble| &trouble.message),
                "diff_lines": kept.map(|kept| kept.diff_lines),
                "left_out": kept.map_or(&[][..], |kept| &kept.left_out),
                "agent_metrics": agent_metrics(agent, &self.options),
            }),
        )
    }

    /// A hash of what the agent did and what that took, by which rollouts that are copies of each other are found. Many
    /// agents say the same every time, and many tasks have one short answer: only both together tell of a copy.
    fn answer_digest(&self, agent: &AgentEnd, kept: Option<&Kept>) -> Option<String> {
        // What stands for an agent does the same every time.
        if matches!(self.options.agent.name.as_str(), "oracle" | "nop")
            || kept.is_some_and(Kept::is_nothing)
        {
            return None;
        }
        let mut answer = match kept {
            Some(_) => read_own(&self.trial.dir.join(DIFF_FILE), u64::MAX).ok()?,
            None => Vec::new(),
        };
        let usage = &agent.usage;
        if let (Some(input), Some(output)) = (usage.input_tokens, usage.output_tokens) {
            let took = format!("{input} {output} {:?}", usage.tool_calls);
            answer.extend(took.into_bytes());
        } else {
            // With the line that says what was left out.
            let most = self.shared.log_limit.saturating_add(1 << 10);
            let said = read_own(&self.trial.dir.join("logs/agent.log"), most);
            answer.extend(said.unwrap_or_default());
        }
        Some(crate::short_hash(&answer))
    }

    pub(super) fn write_metadata(
        &self,
        agent: &AgentEnd,
        phases: &Phases,
        report: &Report,
    ) -> Result<(), AgentError> {
        self.write_json(
            "metadata.json",
            &json!({
                "run_id": self.trial.name,
                "task_id": self.task.id,
                "title": self.task.title,
                "task_dir": self.shared.prepared_dir,
                "baseline": self.shared.baseline.file_name().map(|name| name.to_string_lossy()),
                "agent": self.options.agent.name,
                "model": self.model,
                "sandbox": self.sandbox.kind().word(),
                "seed": self.trial.key.seed,
                "rollout": self.trial.key.rollout,
                "phases": {
                    "workspace_s": phases.workspace,
                    "setup_s": phases.setup,
                    "wait_s": agent.waited,
                    "agent_s": agent.seconds,
                    "collect_s": phases.collect,
                    "verify_s": report.metrics.get("verify_s"),
                    "score_s": phases.score,
                },
            }),
        )
    }

    fn write_json(&self, name: &str, value: &Value) -> Result<(), AgentError> {
        let path = self.trial.dir.join(name);
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        let clean = self.redactor.redact(&text);
        write_atomic_bytes(&path, Durability::Process, clean.as_bytes())?;
        Ok(())
    }
}

/// What the agent used, under the original's names and ours.
pub(super) fn agent_metrics(agent: &AgentEnd, options: &RolloutOptions) -> Value {
    let (cost, source) = agent.usage.cost(options.agent.price);
    json!({
        "tokens_total": agent.usage.tokens(),
        "tool_calls_total": agent.usage.tool_calls,
        "input_tokens": agent.usage.input_tokens,
        "output_tokens": agent.usage.output_tokens,
        "cached_tokens": agent.usage.cached_tokens,
        "reasoning_tokens": agent.usage.reasoning_tokens,
        "money_spent_usd": cost,
        "cost_source": source.word(),
        "agent_seconds": agent.seconds,
    })
}
