//! ReBench's data files: a line for every value of every iteration of every invocation (a process).
//!
//! `total` is the time; other criteria stand before it. Several runs may be appended to one file.

use super::shared::fact;
use crate::error::InteropError;
use crate::execution::{Execution, FactKind, Metric};
use crate::format::Format;
use crate::grouped::Grouped;
use crate::head::Head;
use crate::input::Input;
use crate::json;
use crate::lines::Lines;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Direction, Number};
use serde_json::Value;
use std::path::Path;

/// See the module.
pub(crate) struct Rebench;

const SIDE: &[Way] = &[way(Arm::None, TASK)];
const TASK: &[&str] = &[
    "?suite",
    "benchmark",
    "executor",
    "extra_args",
    "?cores",
    "input_size",
    "variable",
    "tag",
];
/// The columns that tell benchmarks apart, with the names of their fields.
const COLUMNS: [(&str, &str); 9] = [
    ("benchmark", "benchmark"),
    ("executor", "executor"),
    ("suite", "suite"),
    ("extraArgs", "extra_args"),
    ("cores", "cores"),
    ("inputSize", "input_size"),
    ("varValue", "variable"),
    ("tag", "tag"),
    ("machine", "machine"),
];

const RULES: Rules = Rules::timing(
    &[way(Arm::Fields(&["executor"]), TASK), way(Arm::None, TASK)],
    SIDE,
);

impl Format for Rebench {
    fn name(&self) -> &'static str {
        "rebench"
    }

    fn title(&self) -> &'static str {
        "data of ReBench"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.lines()
            .any(|line| line.starts_with("invocation\titeration\tvalue\tunit\tcriterion"))
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut lines = Lines::new(input.name(), input.reader()?);
        let mut titles: Vec<String> = Vec::new();
        let mut open = Open::default();
        // Two blocks of one file number their invocations alike.
        let mut block = 0;
        while lines.advance()? {
            let text = lines.text();
            let line = text.as_ref();
            if let Some(about) = line.strip_prefix("# ") {
                about_machine(about, sink);
            } else if line.starts_with("invocation\t") {
                titles = line.split('\t').map(str::to_owned).collect();
                block += 1;
            } else if !line.starts_with('#') && !lines.is_blank() {
                let cells = Cells {
                    titles: &titles,
                    cells: line.split('\t').collect(),
                };
                if cells.cells.len() < 5 && !lines.is_whole() {
                    open.give(sink);
                    return Err(InteropError::Cut {
                        place: lines.place(),
                    });
                }
                open.add(&cells, (&path, block), sink)
                    .map_err(|message| lines.wrong(message))?;
            }
        }
        open.give(sink);
        Ok(())
    }
}

/// The lines about how the file was made.
fn about_machine(about: &str, sink: &mut dyn Sink) {
    let parsed = |text: &str| json::parse::<Value>("", text.as_bytes()).unwrap_or_default();
    if let Some(text) = about.strip_prefix("Environment: ") {
        let environment = parsed(text);
        fact(sink, FactKind::Machine, "host", &environment["hostName"]);
        fact(sink, FactKind::Machine, "cpu", &environment["cpu"]);
    } else if let Some(text) = about.strip_prefix("Source: ") {
        fact(sink, FactKind::Source, "commit", &parsed(text)["commitId"]);
    }
}

/// One line under its titles.
struct Cells<'a> {
    titles: &'a [String],
    cells: Vec<&'a str>,
}

impl Cells<'_> {
    fn get(&self, title: &str) -> Option<&str> {
        let place = self.titles.iter().position(|known| known == title)?;
        self.cells
            .get(place)
            .map(|cell| cell.trim())
            .filter(|cell| !cell.is_empty())
    }
}

/// Iterations of one invocation: the values of an iteration stand on lines of their own.
#[derive(Default)]
struct Open {
    grouped: Grouped,
}

impl Open {
    fn add(
        &mut self,
        cells: &Cells<'_>,
        (path, block): (&Path, usize),
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let need = |title: &str| cells.get(title).ok_or_else(|| format!("no `{title}`"));
        let value = need("value")?;
        let Some(Number(value)) = Number::parse(value) else {
            return Err(format!("`{value}` is not a number"));
        };
        let iteration: usize = need("iteration")?
            .parse()
            .map_err(|_| "the iteration is no number")?;
        let invocation = need("invocation")?;
        let scale = Scale::of(cells.get("unit").unwrap_or_default());
        let metric = match need("criterion")? {
            "total" => scale.time(),
            other => unless_total(other, &scale),
        };
        let mut key = format!("{block} {invocation}");
        for (title, _) in COLUMNS {
            key.push('\t');
            key.push_str(cells.get(title).unwrap_or_default());
        }
        let mut row = self.grouped.row(&key, || {
            let mut execution = Execution::of(path);
            for (title, field) in COLUMNS {
                execution.set_some(field, cells.get(title));
            }
            execution
        });
        let place = iteration.saturating_sub(1);
        row.put(sink.metric(&metric), place, scale.apply(value));
        Ok(())
    }

    fn give(self, sink: &mut dyn Sink) {
        self.grouped.give(sink, |_| true);
    }
}

fn unless_total(name: &str, scale: &Scale) -> Metric {
    match name {
        "MaxRSS" => scale.metric("memory").better(Direction::Down),
        other => scale.metric(other),
    }
}
