//! The records of a run that matter here: who it is, what it logged, how it ended.

use super::super::shared::nested;
use super::history::History;
use crate::execution::{Execution, Fact, FactKind};
use crate::json;
use crate::protobuf::{Broken, Message, Wire};
use crate::scale::Scale;
use crate::sink::Sink;
use crate::time;
use fairtrial_model::Outcome;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

/// Numbers of the kinds of records.
const HISTORY: u32 = 2;
const SUMMARY: u32 = 3;
const CONFIG: u32 = 5;
const METRIC: u32 = 12;
const RUN: u32 = 17;
const EXIT: u32 = 18;
const HEADER: u32 = 21;
const ENVIRONMENT: u32 = 26;

/// A run while its records are read.
pub(super) struct Run {
    execution: Execution,
    config: Map<String, Value>,
    history: History,
    /// The exit code, where the segment that was read last has one.
    exit: Option<i32>,
    runtime: Option<f64>,
}

/// The id of the run in a record that describes it.
pub(super) fn run_id(record: &[u8]) -> Option<String> {
    let mut fields = Message(record).filter_map(Result::ok);
    let (_, run) = fields.find(|(number, _)| *number == RUN)?;
    let mut fields = run.message().filter_map(Result::ok);
    let (_, id) = fields.find(|(number, _)| *number == 1)?;
    Some(id.text())
}

/// The step of the row in a record, as bits.
pub(super) fn step(record: &[u8]) -> Option<u64> {
    let mut fields = Message(record).filter_map(Result::ok);
    let (_, row) = fields.find(|(number, _)| *number == HISTORY)?;
    History::default().step_of_row(row.message()).ok()
}

impl Run {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            execution: Execution::of(path),
            config: Map::new(),
            history: History::default(),
            exit: None,
            runtime: None,
        }
    }

    /// The last segment that has a row of each step, by the step's bits.
    pub(super) fn of_segments(&mut self, latest: HashMap<u64, usize>) {
        self.history.latest = latest;
    }

    /// A further segment: how an earlier one ended says nothing about this one.
    pub(super) fn begin_segment(&mut self, place: usize) {
        self.exit = None;
        self.history.segment = place;
    }

    pub(super) fn note(&mut self, note: String) {
        self.execution.notes.push(note);
    }

    /// Takes in one record.
    pub(super) fn take(&mut self, record: &[u8], sink: &mut dyn Sink) -> Result<(), Broken> {
        for field in Message(record) {
            let (number, value) = field?;
            match number {
                HISTORY => self.history.row(value.message(), sink)?,
                SUMMARY => self.history.summary(value.message())?,
                METRIC => self.history.define(value.message())?,
                CONFIG => self.configure(value.message())?,
                RUN => self.describe(value.message(), sink)?,
                EXIT => self.ended(value.message())?,
                HEADER => header(value.message(), sink)?,
                ENVIRONMENT => environment(value.message(), sink)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn describe(&mut self, run: Message<'_>, sink: &mut dyn Sink) -> Result<(), Broken> {
        let mut tags = Vec::new();
        for field in run {
            let (number, value) = field?;
            let name = match number {
                1 => "run",
                3 => "project",
                4 => {
                    self.configure(value.message())?;
                    continue;
                }
                6 => "group",
                7 => "job_type",
                8 => "name",
                10 => {
                    tags.push(value.text());
                    continue;
                }
                12 => "sweep",
                13 => {
                    machine(sink, "host", value);
                    continue;
                }
                17 => {
                    let seconds = value.message().flatten().find(|(number, _)| *number == 1);
                    let seconds = seconds.map(|(_, value)| value.integer() as f64);
                    self.execution.started_at = seconds.and_then(time::from_seconds);
                    continue;
                }
                21 => {
                    let commit = value.message().flatten().find(|(number, _)| *number == 2);
                    if let Some((_, commit)) = commit {
                        sink.fact(Fact {
                            kind: FactKind::Source,
                            name: "commit".to_owned(),
                            value: commit.text(),
                        });
                    }
                    continue;
                }
                _ => continue,
            };
            if !value.bytes().is_empty() {
                self.execution.set(name, value.text());
            }
        }
        if !tags.is_empty() {
            self.execution.set("tags", tags.join(", "));
        }
        Ok(())
    }

    /// Updates and removals of config values; nested names are one list, or one name with a table for its value.
    fn configure(&mut self, config: Message<'_>) -> Result<(), Broken> {
        for field in config {
            let (number, item) = field?;
            let mut path: Vec<String> = Vec::new();
            let mut value = Value::Null;
            for field in item.message() {
                let (number, part) = field?;
                match number {
                    1 if !part.bytes().is_empty() => path.insert(0, part.text()),
                    2 => path.push(part.text()),
                    16 => value = json::parse("", part.bytes()).unwrap_or_default(),
                    _ => {}
                }
            }
            // W&B's own notes about the run.
            if path.first().is_none_or(|first| first == "_wandb") {
                continue;
            }
            let path = path.join(".");
            match number {
                1 => drop(self.config.insert(path, value)),
                2 => drop(self.config.shift_remove(&path)),
                _ => {}
            }
        }
        Ok(())
    }

    fn ended(&mut self, exit: Message<'_>) -> Result<(), Broken> {
        // A code of 0 is not written.
        self.exit = Some(0);
        for field in exit {
            let (number, value) = field?;
            match number {
                1 => self.exit = Some(value.integer() as i32),
                2 => self.runtime = Some(value.integer() as f64),
                _ => {}
            }
        }
        Ok(())
    }

    /// Gives the run away.
    pub(super) fn give(mut self, sink: &mut dyn Sink) {
        nested(&mut self.execution, "config", &self.config);
        match self.exit {
            Some(code) => self.execution.exit(code),
            None => self.execution.fail(
                Outcome::Failed,
                "the log has no end: the run crashed, or it still runs",
            ),
        }
        if let Some(seconds) = self.runtime {
            let runtime = sink.metric(&Scale::of("s").metric("runtime"));
            self.execution.metrics.push((runtime, seconds));
            let end = self.execution.started_at;
            self.execution.ended_at = end.and_then(|start| {
                let start = start.as_micros() as f64 / 1e6;
                time::from_seconds(start + seconds)
            });
        }
        self.history.give(&mut self.execution, sink);
        sink.execution(self.execution);
    }
}

fn header(header: Message<'_>, sink: &mut dyn Sink) -> Result<(), Broken> {
    for field in header {
        let (number, value) = field?;
        let producer = value.message().flatten().find(|(number, _)| *number == 1);
        if let (1, Some((_, producer))) = (number, producer) {
            let version = producer.text();
            sink.fact(Fact {
                kind: FactKind::Tool,
                name: "wandb".to_owned(),
                value: version.split('+').next().unwrap_or_default().to_owned(),
            });
        }
    }
    Ok(())
}

fn environment(environment: Message<'_>, sink: &mut dyn Sink) -> Result<(), Broken> {
    for field in environment {
        let (number, value) = field?;
        match number {
            1 => machine(sink, "os", value),
            2 => machine(sink, "python", value),
            _ => {}
        }
    }
    Ok(())
}

fn machine(sink: &mut dyn Sink, name: &str, value: Wire<'_>) {
    if !value.bytes().is_empty() {
        sink.fact(Fact {
            kind: FactKind::Machine,
            name: name.to_owned(),
            value: value.text(),
        });
    }
}
