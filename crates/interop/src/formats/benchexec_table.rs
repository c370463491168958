//! The CSV of BenchExec's table-generator: tabs, and three lines of titles (tool, run set, column).

use super::benchexec::metric;
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::lines::Lines;
use crate::rules::{Arm, Rules, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::Number;

/// See the module.
pub(crate) struct BenchexecTable;

const RULES: Rules = Rules::timing(
    &[
        way(Arm::Fields(&["tool", "run_set"]), &["run"]),
        way(Arm::None, &["run"]),
    ],
    &[
        way(Arm::Fields(&["tool", "run_set"]), &["run"]),
        way(Arm::None, &["run"]),
    ],
);

impl Format for BenchexecTable {
    fn name(&self) -> &'static str {
        "benchexec-table"
    }

    fn title(&self) -> &'static str {
        "a table of BenchExec"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        let mut lines = head.lines();
        let mut begins = |with: &str| lines.next().is_some_and(|line| line.starts_with(with));
        begins("tool\t") && begins("run set\t")
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut lines = Lines::new(input.name(), input.reader()?);
        let mut titles: Vec<Vec<String>> = Vec::new();
        while titles.len() < 3 {
            if !lines.advance()? {
                return Err(lines.wrong("three lines of titles are missing"));
            }
            let text = lines.text();
            titles.push(
                text.split('\t')
                    .map(|cell| cell.trim().to_owned())
                    .collect(),
            );
        }
        let [tools, sets, columns] = titles.as_slice() else {
            return Ok(());
        };
        while lines.advance()? {
            let text = lines.text();
            let cells: Vec<&str> = text.split('\t').map(str::trim).collect();
            let mut open: Option<(&str, Execution)> = None;
            for (place, column) in columns.iter().enumerate().skip(1) {
                let set = sets.get(place).map_or("", String::as_str);
                if open.as_ref().is_none_or(|(known, _)| *known != set) {
                    give(open.take(), sink);
                    let mut execution = Execution::of(&path);
                    execution.set("run", cells[0]);
                    execution.set("run_set", set);
                    execution.set_some("tool", tools.get(place).filter(|tool| !tool.is_empty()));
                    open = Some((set, execution));
                }
                let Some((_, execution)) = &mut open else {
                    continue;
                };
                let cell = cells.get(place).copied().unwrap_or_default();
                // `memory (MB)`
                let (name, unit) = column.split_once(" (").unwrap_or((column, ""));
                if name == "status" {
                    execution.set("status", cell);
                } else if let Some(Number(value)) = Number::parse(cell) {
                    let scale = Scale::of(unit.trim_end_matches(')'));
                    let id = sink.metric(&metric(name, &scale));
                    execution.metrics.push((id, scale.apply(value)));
                }
            }
            give(open, sink);
        }
        Ok(())
    }
}

/// Gives a run away, judged by what its tool said.
fn give(open: Option<(&str, Execution)>, sink: &mut dyn Sink) {
    let Some((_, mut execution)) = open else {
        return;
    };
    let status = execution
        .fields
        .get("status")
        .map(fairtrial_model::Params::display);
    super::benchexec::judge(&mut execution, &status.unwrap_or_default(), "", "");
    sink.execution(execution);
}
