//! divan's table on standard output, the only form that it has: fastest, slowest, median and mean of each benchmark.

use super::shared::ONLY_MEAN;
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::lines::Lines;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::Number;

/// See the module.
pub(crate) struct Divan;

const WAYS: &[Way] = &[way(Arm::None, &["benchmark"])];

const RULES: Rules = Rules::timing(WAYS, WAYS);

impl Format for Divan {
    fn name(&self) -> &'static str {
        "divan"
    }

    fn title(&self) -> &'static str {
        "the table of divan"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.lines().any(is_title)
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut lines = Lines::new(input.name(), input.reader()?);
        // The names of the branches that lead to a line, each with how far it stands to the right.
        let mut branches: Vec<(usize, String)> = Vec::new();
        let mut titles = false;
        while lines.advance()? {
            let text = lines.text();
            if is_title(&text) {
                titles = true;
                branches.clear();
                continue;
            }
            let mut cells = text.split('│').map(str::trim);
            let first = text.split(['│']).next().unwrap_or_default();
            let Some((at, name, fastest)) = branch(first).filter(|_| titles) else {
                continue;
            };
            while branches.last().is_some_and(|(known, _)| *known >= at) {
                branches.pop();
            }
            branches.push((at, name));
            let mean = cells.nth(3).unwrap_or_default();
            if fastest.is_empty() || mean.is_empty() {
                continue;
            }
            let (value, scale) =
                time(mean).ok_or_else(|| lines.wrong(format!("`{mean}` is not a time")))?;
            let names: Vec<&str> = branches.iter().map(|(_, name)| name.as_str()).collect();
            let mut execution = Execution::of(&path);
            execution.set("benchmark", names.join("/"));
            execution
                .metrics
                .push((sink.metric(&scale.time()), scale.apply(value)));
            execution.notes.push(ONLY_MEAN.to_owned());
            sink.execution(execution);
        }
        Ok(())
    }
}

fn is_title(line: &str) -> bool {
    let words: Vec<&str> = line
        .split(['│', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    words.ends_with(&["fastest", "slowest", "median", "mean", "samples", "iters"])
}

/// A branch of the tree: how far right it stands, its name, and what follows it.
fn branch(cell: &str) -> Option<(usize, String, &str)> {
    let place = cell.find(['├', '╰'])?;
    let rest = cell[place..].trim_start_matches(['├', '╰', '─', ' ']);
    let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
    let at = cell[..place].chars().count();
    Some((at, name.to_owned(), value.trim()))
}

fn time(text: &str) -> Option<(f64, Scale)> {
    let (number, unit) = text.split_once(' ')?;
    Some((Number::parse(number)?.0, Scale::of(unit)))
}
