//! One sample of a log, whole or as a summary: who it is, its scores, what it took, how it ended.

use super::super::agent_metrics::{Numbers, Tokens};
use crate::error::InteropError;
use crate::execution::Execution;
use crate::json::Json;
use crate::sink::Sink;
use crate::time;
use fairtrial_model::{Leaf, Number, Outcome, each_leaf};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::Read;

/// What both forms have.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub(super) struct InspectSample {
    pub(super) id: Value,
    pub(super) epoch: u64,
    scores: Option<BTreeMap<String, Score>>,
    model_usage: Option<BTreeMap<String, Usage>>,
    error: Value,
    limit: Value,
    started_at: Option<String>,
    completed_at: Option<String>,
    total_time: Option<Number>,
    working_time: Option<Number>,
}

impl Default for InspectSample {
    fn default() -> Self {
        Self {
            id: Value::Null,
            epoch: 1,
            scores: None,
            model_usage: None,
            error: Value::Null,
            limit: Value::Null,
            started_at: None,
            completed_at: None,
            total_time: None,
            working_time: None,
        }
    }
}

#[derive(Debug, Deserialize)]
struct Score {
    #[serde(default)]
    value: Value,
}

#[derive(Debug, Default, Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: Option<f64>,
    #[serde(default)]
    output_tokens: Option<f64>,
    #[serde(default)]
    total_tokens: Option<f64>,
    #[serde(default)]
    total_cost: Option<f64>,
}

impl InspectSample {
    /// Reads a sample; transcripts and everything else that is large is passed over.
    pub(super) fn read<R: Read>(json: &mut Json<R>) -> Result<Self, InteropError> {
        let mut sample = Self::default();
        json.object(|key, json| {
            match key {
                "id" => sample.id = json.value(key)?,
                "epoch" => sample.epoch = json.value(key)?,
                "scores" => sample.scores = json.value(key)?,
                "model_usage" => sample.model_usage = json.value(key)?,
                "error" => sample.error = json.value(key)?,
                "limit" => sample.limit = json.value(key)?,
                "started_at" => sample.started_at = json.value(key)?,
                "completed_at" => sample.completed_at = json.value(key)?,
                "total_time" => sample.total_time = json.value(key)?,
                "working_time" => sample.working_time = json.value(key)?,
                _ => return json.skip(),
            }
            Ok(())
        })?;
        Ok(sample)
    }

    /// Puts what it has into an execution.
    pub(super) fn fill(self, execution: &mut Execution, scorer: Option<&str>, sink: &mut dyn Sink) {
        let at = |text: &Option<String>| text.as_deref().and_then(time::from_text);
        execution.started_at = at(&self.started_at);
        execution.ended_at = at(&self.completed_at);
        self.scored(execution, scorer, sink);
        let is_scored = !execution.metrics.is_empty();
        let sum = |of: fn(&Usage) -> Option<f64>| {
            let known = self.model_usage.iter().flat_map(BTreeMap::values);
            let known = known.filter_map(of);
            known.fold(None, |sum: Option<f64>, value| {
                Some(sum.unwrap_or(0.0) + value)
            })
        };
        let mut numbers = Numbers { execution, sink };
        numbers.seconds("time", self.total_time.map(|number| number.0));
        numbers.seconds("working_time", self.working_time.map(|number| number.0));
        numbers.tokens(&Tokens {
            total: sum(|usage| usage.total_tokens),
            input: sum(|usage| usage.input_tokens),
            output: sum(|usage| usage.output_tokens),
            cached: None,
        });
        numbers.cost(sum(|usage| usage.total_cost));
        let limit = text_of(&self.limit, "type");
        if let Some(message) = text_of(&self.error, "message") {
            execution.fail(Outcome::Failed, message);
        } else if let Some(limit) = limit {
            // A limit ends a sample, which is scored all the same.
            execution
                .notes
                .push(format!("stopped by its {limit} limit"));
            if !is_scored {
                let message = format!("stopped by its {limit} limit, and not scored");
                execution.fail(Outcome::Failed, message);
            }
        }
    }

    /// The values of all scorers under their names, and that of the first as `score`.
    fn scored(&self, execution: &mut Execution, scorer: Option<&str>, sink: &mut dyn Sink) {
        let Some(scores) = &self.scores else {
            return;
        };
        let only = scores.keys().next().filter(|_| scores.len() == 1);
        let first = scorer
            .filter(|name| scores.contains_key(*name))
            .or(only.map(String::as_str));
        let mut numbers = Numbers { execution, sink };
        numbers.score(first.and_then(|name| number_of(&scores[name].value)));
        for (name, score) in scores {
            if let Some(value) = number_of(&score.value) {
                numbers.named_score(name, Some(value));
            } else if let Value::Object(table) = &score.value {
                for (key, value) in parts(table) {
                    numbers.named_score(&format!("{name}.{key}"), Some(value));
                }
            }
        }
    }
}

/// The values of a score that has several; words in it count like words alone.
fn parts(table: &Map<String, Value>) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    each_leaf("", table, &mut |path, leaf| {
        let value = match leaf {
            Leaf::Number(value) => Some(value),
            Leaf::Other(value) => number_of(value),
        };
        found.extend(value.map(|value| (path, value)));
    });
    found
}

/// A score as a number, by Inspect's own rule; one that is not a number means "not scored".
fn number_of(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::String(word) => match word.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            other => match other.to_lowercase().as_str() {
                "yes" | "true" => Some(1.0),
                "no" | "false" => Some(0.0),
                _ => Number::parse(other).map(|number| number.0),
            },
        },
        _ => None,
    };
    number.filter(|number| !number.is_nan())
}

/// A text, or the text under a key of a table: summaries have the one, samples the other.
fn text_of(value: &Value, key: &str) -> Option<String> {
    let text = match value {
        Value::String(text) => Some(text.as_str()),
        Value::Object(table) => table.get(key).and_then(Value::as_str),
        _ => None,
    };
    text.map(str::to_owned)
}
