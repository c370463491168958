//! The messages of the worker protocol, one JSON object per line (`docs/reference/worker-protocol.md`).
//!
//! The worker's standard input is a two-way socket: the driver writes [`Request`]s to it and reads [`Reply`]s from it.
//! Standard output and standard error stay free for whatever the worker prints.

use crate::contract::{Artifact, Metrics, Phase};
use crate::describe::{Description, InstrumentInfo};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Version of the protocol. A worker that does not know it says so and ends.
pub const VERSION: u32 = 1;
/// The file of a trial's folder in which its samples are kept, a line each.
pub const SAMPLES_FILE: &str = "samples.jsonl";

/// What the driver asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Request {
    /// Which experiments are there? Answered by [`Reply::Described`].
    Describe {
        /// [`VERSION`].
        protocol: u32,
    },
    /// Build an experiment and set it up. Answered by [`Reply::Ready`] or [`Reply::Error`].
    Setup(Box<Setup>),
    /// Run iterations. Answered by one [`Reply::Sample`] each and [`Reply::Done`], or by [`Reply::Error`], after which
    /// no further iteration of this request runs.
    Iterate {
        /// What they are for.
        phase: Phase,
        /// Number of the first.
        first: u64,
        /// How many.
        count: u64,
        /// Executions inside each, timed together; absent: one. A worker that does not know it executes once, and its
        /// samples say so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inner: Option<u64>,
    },
    /// Clean up. Answered by [`Reply::Done`] or [`Reply::Error`]; the worker may end after it.
    Teardown,
}

/// An experiment to set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// [`VERSION`].
    pub protocol: u32,
    /// The experiment's slug.
    pub experiment: String,
    /// Its parameters.
    pub params: Map<String, Value>,
    /// The seed.
    pub seed: u64,
    /// The run's stamp.
    pub run: String,
    /// The trial's name.
    pub trial: String,
    /// The trial's directory.
    pub dir: PathBuf,
    /// Where the result files go.
    pub output_dir: PathBuf,
    /// Instruments, those that the worker itself must run included.
    pub instruments: Vec<InstrumentRequest>,
}

/// An instrument with its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InstrumentRequest {
    /// Its name.
    pub name: String,
    /// Its options.
    #[serde(default)]
    pub options: Map<String, Value>,
}

/// What the worker says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Reply {
    /// The experiments and instruments of this worker.
    Described {
        /// [`VERSION`].
        protocol: u32,
        /// The experiments.
        experiments: Vec<Description>,
        /// The instruments.
        #[serde(default)]
        instruments: Vec<InstrumentInfo>,
    },
    /// The experiment is set up.
    Ready {
        /// All parameters, defaults included.
        params: Map<String, Value>,
        /// Versions of what the numbers depend on.
        #[serde(default)]
        versions: Map<String, Value>,
    },
    /// One iteration.
    Sample(Box<Sample>),
    /// The request is done.
    Done,
    /// The request failed.
    Error {
        /// What went wrong.
        message: String,
        /// Where, for the log.
        #[serde(default)]
        trace: String,
        /// The iteration that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
    },
    /// Something for the trial's log; may come at any time.
    Log {
        /// The text.
        text: String,
    },
    /// A file that was written; may come at any time.
    Artifact(Artifact),
    /// What an instrument inside the worker found out about the whole trial; may come at any time.
    Finding {
        /// The instrument.
        instrument: String,
        /// What it found: every number becomes a metric, under the instrument's name.
        #[serde(default)]
        summary: Map<String, Value>,
        /// Why it saw nothing, or not all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        absent: Option<String>,
    },
}

/// Whole numbers beyond this one lose digits where numbers are fractions, as in every aggregate.
const LARGEST_WHOLE: u64 = 1 << 53;
/// Deeper tables are no results.
const DEEPEST: usize = 100;

/// What of an iteration's metrics cannot be kept as it is, by its name.
pub fn unfit(metrics: &Metrics) -> Option<String> {
    let inside = |(name, value): (&String, &Value)| unfit_value(name, value, 1);
    metrics.iter().find_map(inside)
}

fn unfit_value(name: &str, value: &Value, depth: usize) -> Option<String> {
    let size = || value.as_u64().or(value.as_i64().map(i64::unsigned_abs));
    match value {
        Value::Number(number) if size().is_some_and(|size| size > LARGEST_WHOLE) => Some(format!(
            "`{name}`: {number} is beyond 2^53, where whole numbers lose digits; report it in a larger unit, or as a text"
        )),
        Value::Array(_) | Value::Object(_) if depth > DEEPEST => Some(format!(
            "`{}...` is nested deeper than {DEEPEST} levels; report less of it, or leave it in a file",
            name.chars().take(40).collect::<String>()
        )),
        Value::Array(items) => items
            .iter()
            .find_map(|item| unfit_value(name, item, depth + 1)),
        Value::Object(table) => table
            .iter()
            .find_map(|(key, value)| unfit_value(&format!("{name}.{key}"), value, depth + 1)),
        _ => None,
    }
}

/// One iteration as the worker measured it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Its number, from 0.
    pub index: u64,
    /// When it began, in nanoseconds of the system's monotonic clock, so that what is observed from outside can be
    /// told apart by iteration.
    pub start_ns: u64,
    /// Wall time in nanoseconds, of all executions inside.
    pub wall_ns: u64,
    /// CPU time of the worker process in nanoseconds, of all executions inside; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Executions inside; absent: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner: Option<u64>,
    /// CPU time in nanoseconds of a little work that is always the same, done right before: how fast the machine was. Absent
    /// where it was measured a moment ago, or is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace_ns: Option<u64>,
    /// What it returned.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metrics: Metrics,
    /// What instruments inside the worker found.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub instruments: Metrics,
}

impl Sample {
    /// Executions inside.
    pub fn executions(&self) -> u64 {
        self.inner.unwrap_or(1).max(1)
    }

    /// Wall seconds of one execution.
    pub fn wall_s(&self) -> f64 {
        self.wall_ns as f64 / 1e9 / self.executions() as f64
    }

    /// CPU seconds of one execution.
    pub fn cpu_s(&self) -> Option<f64> {
        Some(self.cpu_ns? as f64 / 1e9 / self.executions() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::{Reply, Request, VERSION};
    use serde_json::Value;

    const PAGE: &str = include_str!("../../../docs/reference/worker-protocol.md");

    /// Every message on the page, whichever of the two it is; `{...}` and `[...]` stand for anything.
    fn messages(kind: &str) -> Vec<Value> {
        let quoted = PAGE
            .split('`')
            .filter(|text| text.starts_with(&format!("{{\"{kind}\"")));
        let fenced = PAGE
            .lines()
            .filter(|line| line.starts_with(&format!("{{\"{kind}\"")));
        let whole = |text: &str| {
            text.replace('\n', " ")
                .replace("{...}", "{}")
                .replace("[...]", "[]")
        };
        let all = quoted.chain(fenced).map(whole);
        all.map(|text| serde_json::from_str(&text).unwrap_or_else(|why| panic!("{text}: {why}")))
            .collect()
    }

    fn words(messages: &[Value], kind: &str) -> Vec<String> {
        let words = messages
            .iter()
            .map(|message| message[kind].as_str().unwrap().to_owned());
        let mut words: Vec<String> = words.collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    #[test]
    fn the_requests_on_the_page_are_those_that_are_sent() {
        let messages = messages("op");
        for message in &messages {
            let read: Request = serde_json::from_value(message.clone()).unwrap();
            // Nothing on the page is ignored, and nothing that is sent is missing there.
            assert_eq!(serde_json::to_value(read).unwrap(), *message);
        }
        assert_eq!(
            words(&messages, "op"),
            ["describe", "iterate", "setup", "teardown"]
        );
        assert!(PAGE.contains(&format!("version {VERSION}.")));
    }

    #[test]
    fn the_answers_on_the_page_are_understood() {
        let messages = messages("event");
        for message in &messages {
            let read: Reply = serde_json::from_value(message.clone()).unwrap();
            let again = serde_json::to_value(read).unwrap();
            for key in message.as_object().unwrap().keys() {
                assert_eq!(again[key], message[key], "{message}");
            }
        }
        let known = [
            "artifact",
            "described",
            "done",
            "error",
            "finding",
            "log",
            "ready",
            "sample",
        ];
        assert_eq!(words(&messages, "event"), known);
    }
}
