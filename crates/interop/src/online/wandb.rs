//! W&B's runs on its server, asked for by the user's own `wandb` in a process of its own.

use super::access::Access;
use crate::collect::Wanted;
use crate::error::{FilePlace, InteropError};
use crate::execution::{Execution, Metric};
use crate::formats::shared::nested;
use crate::json;
use crate::sink::Sink;
use crate::time;
use fairtrial_model::{Leaf, Outcome, each_leaf};
use fairtrial_process::Program;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::io;

const SCRIPT: &str = include_str!("wandb_pull.py");
/// Bytes of one line that the script may print.
const MOST_LINE: usize = 64 << 20;

/// Reads a project, or one run of it.
pub(super) fn read(
    path: &str,
    access: &Access,
    sink: &mut (impl Sink + Wanted),
) -> Result<(), InteropError> {
    let wanted = sink.wanted();
    let mut runs = Runs {
        name: format!("wandb:{path}"),
        open: None,
        line: Vec::new(),
        wrong: None,
    };
    let program = Program::new(&access.python, access.limit)
        .called("python (wandb)")
        .args(["-c", SCRIPT, path])
        .args(&wanted);
    let ended = program.run_into(&mut |bytes: &[u8]| runs.hear(bytes, sink));
    if let Some(error) = runs.wrong {
        return Err(error);
    }
    let wrong = |error: fairtrial_process::ProcessError| {
        InteropError::content(FilePlace::of(&runs.name), error.to_string())
    };
    ended.map_err(wrong)?.success().map_err(wrong)?;
    Ok(())
}

/// A line of the script.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    run: Option<Run>,
    #[serde(default)]
    row: Option<Map<String, Value>>,
    #[serde(default)]
    end: Option<String>,
}

#[derive(Deserialize)]
struct Run {
    id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    group: Option<String>,
    #[serde(default)]
    job_type: Option<String>,
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    config: Map<String, Value>,
    #[serde(default)]
    summary: Map<String, Value>,
}

/// Runs while the script prints them.
struct Runs {
    name: String,
    open: Option<Execution>,
    line: Vec<u8>,
    wrong: Option<InteropError>,
}

impl Runs {
    /// Takes what was printed, line by line. An error ends the program.
    fn hear(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> io::Result<()> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if !self.line.ends_with(b"\n") {
                if self.line.len() > MOST_LINE {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let taken = json::parse(&self.name, &line).map(|line| self.take(line, sink));
            if let Err(error) = taken {
                self.wrong = Some(error);
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        Ok(())
    }

    fn take(&mut self, line: Line, sink: &mut dyn Sink) {
        if let Some(run) = line.run {
            self.open = Some(run.execution(&self.name, sink));
        }
        if let Some(row) = line.row {
            let step = row.get("_step").and_then(Value::as_f64);
            each_number(&row, &mut |name, value| {
                let metric = sink.metric(&Metric::named(name));
                sink.point(metric, step.unwrap_or(f64::NAN), value);
            });
        }
        if let Some(state) = line.end
            && let Some(mut execution) = self.open.take()
        {
            match state.as_str() {
                "finished" => {}
                "killed" | "preempted" => {
                    execution.fail(Outcome::Cancelled, format!("W&B says that it was {state}"));
                }
                other => execution.fail(Outcome::Failed, format!("W&B says that it {other}")),
            }
            sink.execution(execution);
        }
    }
}

impl Run {
    fn execution(self, source: &str, sink: &mut dyn Sink) -> Execution {
        let mut execution = Execution::of(source);
        execution.set("run", self.id);
        execution.set_some("name", self.name);
        execution.set_some("project", self.project);
        execution.set_some("group", self.group.filter(|group| !group.is_empty()));
        execution.set_some("job_type", self.job_type.filter(|kind| !kind.is_empty()));
        if !self.tags.is_empty() {
            execution.set("tags", self.tags.join(", "));
        }
        execution.started_at = self.created_at.as_deref().and_then(time::from_text);
        nested(&mut execution, "config", &self.config);
        each_number(&self.summary, &mut |name, value| {
            let metric = sink.metric(&Metric::named(name));
            execution.metrics.push((metric, value));
        });
        execution
    }
}

/// The numbers of a row that are the user's own.
fn each_number(row: &Map<String, Value>, each: &mut dyn FnMut(&str, f64)) {
    each_leaf("", row, &mut |name, leaf| {
        if let (Leaf::Number(value), false) = (leaf, name.starts_with('_')) {
            each(&name, value);
        }
    });
}
