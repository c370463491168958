//! What a rollout tells the trial runner: how it ended, its numbers, and its words.

use crate::error::{AgentError, At};
use crate::ignored::Ignored;
use fairtrial_episode::append_own;
use fairtrial_journal::redact::Redactor;
use fairtrial_model::{BROKEN_FACT, INFRA_FACT, NOTES_FACT};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

/// How a rollout ended, as its exit code says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RolloutEnd {
    /// The agent ended well or at a limit, and was scored.
    Done,
    /// The agent failed.
    Failed,
    /// The machine, the provider or the task is to blame.
    Infra,
}

/// What a rollout reports: numbers and words for its record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    #[serde(skip, default = "done")]
    pub end: RolloutEnd,
    /// Its metrics.
    pub metrics: Map<String, Value>,
    /// Its facts, those for the trial runner included.
    pub facts: Map<String, Value>,
}

fn done() -> RolloutEnd {
    RolloutEnd::Done
}

impl Report {
    pub(super) fn new() -> Self {
        Self {
            end: RolloutEnd::Done,
            metrics: Map::new(),
            facts: Map::new(),
        }
    }

    /// The machine or the provider is to blame, and another attempt may go better.
    pub(super) fn infra(&mut self, message: &str) {
        self.blame(INFRA_FACT, message);
    }

    /// The machine, the provider or the task is to blame, and another attempt would end the same way.
    pub(super) fn broken(&mut self, message: &str) {
        self.blame(BROKEN_FACT, message);
    }

    fn blame(&mut self, fact: &str, message: &str) {
        self.end = RolloutEnd::Infra;
        self.facts.insert(fact.to_owned(), message.into());
    }

    /// Something that a person should know, for the record's notes.
    pub(super) fn note(&mut self, text: &str) {
        let before = self.facts.get(NOTES_FACT).and_then(Value::as_str);
        let all = before.map_or_else(|| text.to_owned(), |before| format!("{before}\n{text}"));
        self.facts.insert(NOTES_FACT.to_owned(), all.into());
    }

    /// Tells what of the agent's work is not in the diff because the task's repository ignores it.
    pub(super) fn ignored(&mut self, ignored: &Ignored) {
        let some = |all: &mut dyn Iterator<Item = &String>| {
            let some: Vec<&str> = all.take(10).map(String::as_str).collect();
            some.join(", ")
        };
        let all = some(&mut ignored.left.iter().chain(&ignored.caches));
        if !all.is_empty() {
            self.facts.insert("ignored".to_owned(), all.into());
        }
        if !ignored.left.is_empty() {
            let left = some(&mut ignored.left.iter());
            self.note(&format!("ignored by git, and so not in the diff: {left}"));
        }
    }

    /// Tells what of the agent's work is not in the diff because it is too much or cannot be read. The scoring has a note
    /// about it, because it is the score that misses it.
    pub(super) fn left_out(&mut self, left_out: &[String]) {
        if !left_out.is_empty() {
            let all = left_out.join(", ");
            self.facts.insert("left_out".to_owned(), all.into());
        }
    }

    /// Takes secrets out of its words.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        for fact in self.facts.values_mut() {
            if let Value::String(text) = fact {
                *text = redactor.redact(text).into_owned();
            }
        }
    }

    pub(super) fn append(&self, file: &Path, redactor: &Redactor) -> Result<(), AgentError> {
        use std::io::Write;
        let mut line = self.metrics.clone();
        line.extend(self.facts.clone());
        let text = Value::Object(line).to_string();
        let clean = redactor.redact(&text);
        let written = append_own(file).and_then(|mut file| writeln!(file, "{clean}"));
        written.at("write", file)
    }
}
