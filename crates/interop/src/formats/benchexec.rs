//! BenchExec's result XML (also `.xml.bz2`): one run per task, values as text with their unit (`0.0021s`, `512000B`).

use crate::error::{FilePlace, InteropError};
use crate::execution::{Execution, Fact, FactKind, Metric};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use crate::time;
use crate::xml::{Attributes, Xml, XmlPiece};
use fairtrial_model::{Direction, Number, Outcome};
use std::path::Path;

/// See the module.
pub(crate) struct Benchexec;

const WAYS: &[Way] = &[
    way(
        Arm::Fields(&["tool", "version", "run_definition"]),
        &["run", "?property"],
    ),
    way(Arm::None, &["run", "?property"]),
];

const RULES: Rules = Rules::timing(WAYS, &[way(Arm::None, &["run", "?property"])]);

impl Format for Benchexec {
    fn name(&self) -> &'static str {
        "benchexec"
    }

    fn title(&self) -> &'static str {
        "results of BenchExec"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        let begins = |line: &str| line.trim_start().starts_with("<result ");
        head.lines()
            .any(|line| begins(line) && line.contains("tool="))
            || head
                .lines()
                .any(|line| line.contains("DTD BenchExec result"))
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let name = input.name();
        let mut xml = Xml::new(&name, input.reader()?);
        let mut of_all: Vec<(&'static str, String)> = Vec::new();
        let mut run: Option<Run> = None;
        while let Some(piece) = xml.next()? {
            match piece {
                XmlPiece::Open { name, attributes } => match name.as_str() {
                    "result" => of_all = described(&attributes),
                    "systeminfo" => machine(sink, "host", attributes.get("hostname")),
                    "cpu" => machine(sink, "cpu", attributes.get("model")),
                    "run" => run = Some(Run::of(&path, &of_all, &attributes)),
                    "column" => {
                        let place = || xml.place();
                        if let Some(run) = &mut run {
                            run.column(&attributes, place, sink)?;
                        }
                    }
                    _ => {}
                },
                XmlPiece::Close { name } if name == "run" => {
                    if let Some(run) = run.take() {
                        sink.execution(run.ended());
                    }
                }
                XmlPiece::Close { .. } => {}
            }
        }
        Ok(())
    }
}

fn machine(sink: &mut dyn Sink, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        sink.fact(Fact {
            kind: FactKind::Machine,
            name: name.to_owned(),
            value: value.to_owned(),
        });
    }
}

/// What holds for all runs of a file. The name of a run set is that of its definition, a point, and that of its tasks.
fn described(attributes: &Attributes) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let definition = attributes.get("name").map(|name| {
        let block = attributes.get("block").unwrap_or_default();
        let ending = format!(".{block}");
        name.strip_suffix(&ending).unwrap_or(name)
    });
    for (field, value) in [
        ("tool", attributes.get("tool")),
        ("version", attributes.get("version")),
        ("run_definition", definition),
        ("options", attributes.get("options")),
        ("benchmark", attributes.get("benchmarkname")),
    ] {
        let value = value.filter(|value| !value.trim().is_empty());
        found.extend(value.map(|value| (field, value.trim().to_owned())));
    }
    found
}

/// One run while its columns are read.
struct Run {
    execution: Execution,
    status: String,
    category: String,
    reason: String,
}

impl Run {
    fn of(path: &Path, of_all: &[(&'static str, String)], attributes: &Attributes) -> Self {
        let mut execution = Execution::of(path);
        for (field, value) in of_all {
            execution.set(field, value);
        }
        execution.set_some("run", attributes.get("name"));
        execution.set_some("property", attributes.get("properties"));
        Self {
            execution,
            status: String::new(),
            category: String::new(),
            reason: String::new(),
        }
    }

    fn column(
        &mut self,
        attributes: &Attributes,
        place: impl FnOnce() -> FilePlace,
        sink: &mut dyn Sink,
    ) -> Result<(), InteropError> {
        let (Some(title), Some(value)) = (attributes.get("title"), attributes.get("value")) else {
            return Ok(());
        };
        match title {
            "status" => value.clone_into(&mut self.status),
            "category" => value.clone_into(&mut self.category),
            "terminationreason" => value.clone_into(&mut self.reason),
            "starttime" => self.execution.started_at = time::from_text(value),
            "cputime" | "walltime" | "memory" => {
                let (number, scale) = with_unit(value).ok_or_else(|| {
                    let message = format!("`{value}` is not a number with its unit");
                    InteropError::content(place().field(title), message)
                })?;
                let metric = metric(title, &scale);
                let metric = sink.metric(&metric);
                self.execution.metrics.push((metric, scale.apply(number)));
            }
            _ => {
                let is_measured = ["blkio", "pressure", "cpuenergy", "cputime-"]
                    .iter()
                    .any(|beginning| title.starts_with(beginning));
                if let Some((number, scale)) = with_unit(value).filter(|_| is_measured) {
                    let metric = sink.metric(&scale.metric(title));
                    self.execution.metrics.push((metric, scale.apply(number)));
                }
            }
        }
        Ok(())
    }

    fn ended(mut self) -> Execution {
        judge(
            &mut self.execution,
            &self.status,
            &self.category,
            &self.reason,
        );
        self.execution.set("status", &self.status);
        if !self.category.is_empty() {
            self.execution.set("category", &self.category);
        }
        self.execution
    }
}

/// How a run ended: what stopped it counts first, then what its tool said.
pub(super) fn judge(execution: &mut Execution, status: &str, category: &str, reason: &str) {
    let upper = status.to_uppercase();
    let says = |word: &str| upper.contains(word);
    let outcome = if says("OUT OF MEMORY") || reason == "memory" {
        Outcome::Oom
    } else if says("TIMEOUT") || matches!(reason, "cputime" | "walltime") {
        Outcome::Timeout
    } else if reason == "killed" {
        Outcome::Cancelled
    } else if ["ERROR", "EXCEPTION", "SEGMENTATION FAULT", "ABORTED"]
        .iter()
        .any(|word| upper.starts_with(word))
        || category == "error"
        || reason == "failed"
    {
        Outcome::Failed
    } else {
        return;
    };
    execution.fail(outcome, format!("status {status}"));
}

pub(super) fn metric(title: &str, scale: &Scale) -> Metric {
    match title {
        "walltime" => scale.time(),
        "cputime" => scale.metric("cpu").better(Direction::Down).headline(),
        other => scale.metric(other).better(Direction::Down),
    }
}

/// A number and the scale of the unit behind it.
pub(super) fn with_unit(text: &str) -> Option<(f64, Scale)> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    let unit = &text[digits.len()..];
    let number = Number::parse(digits)?;
    Some((number.0, Scale::of(unit)))
}
