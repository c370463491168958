//! The numbers of each command.

use super::bench_answer::{BenchAnswer, BenchNumbers};
use super::histogram;
use super::unit::Unit;
use crate::grid::{Cell, Column, Grid};
use fairtrial_analysis::bench::Timing;
use fairtrial_text::bytes::size;
use fairtrial_text::count::count;
use fairtrial_text::number::NumberFormat;

pub(super) fn grid(answer: &BenchAnswer<'_>) -> Grid {
    if answer.numbers == BenchNumbers::Exact {
        return counts(answer);
    }
    // A typical run may take no longer than the shell around it, which is taken off.
    let typical = |timing: &Timing| {
        [timing.median, timing.mean]
            .into_iter()
            .find(|it| *it > 0.0)
    };
    let unit = Unit::of(answer.numbers, answer.commands.iter().filter_map(typical));
    let mut grid = Grid::new(vec![
        Column::words("command"),
        Column::numbers("mean ± 95 %"),
        Column::numbers("median"),
        Column::numbers("min"),
        Column::numbers("max").may_go(5),
        Column::numbers("user").may_go(3),
        Column::numbers("system").may_go(3),
        Column::numbers("memory").may_go(4),
        Column::numbers("runs").may_go(1),
        Column::numbers("failures"),
        Column::numbers("× the first"),
        Column::words("spread").may_go(2),
    ]);
    for timing in answer.commands {
        grid.push(row(answer, timing, unit));
    }
    grid.without_empty_columns()
}

fn counts(answer: &BenchAnswer<'_>) -> Grid {
    let columns = vec![
        Column::words("command"),
        Column::numbers(answer.metric),
        Column::numbers("× the first"),
    ];
    let mut grid = Grid::new(columns);
    for timing in answer.commands {
        let cells = [
            timing.name.clone(),
            count(timing.mean as u64),
            of_first(answer, timing),
        ];
        grid.push(cells.map(Cell::from).into());
    }
    grid.without_empty_columns()
}

/// How many times the mean of the first command; nothing for that one itself.
fn of_first(answer: &BenchAnswer<'_>, timing: &Timing) -> String {
    let first = answer
        .commands
        .first()
        .filter(|first| first.name != timing.name && first.mean > 0.0);
    first.map_or(String::new(), |first| {
        NumberFormat::Fixed(3).number(timing.mean / first.mean)
    })
}

fn row(answer: &BenchAnswer<'_>, timing: &Timing, unit: Unit) -> Vec<Cell> {
    let half = timing.interval.map(|interval| interval.high - timing.mean);
    let value = |value: f64| unit.show(value, None);
    let cpu = match answer.numbers {
        BenchNumbers::Times => unit,
        _ => Unit::of(
            BenchNumbers::Times,
            [timing.user + timing.system].into_iter(),
        ),
    };
    let memory = timing.memory.map_or(String::new(), |bytes| {
        let bound = if timing.memory_is_bound { "≤ " } else { "" };
        format!("{bound}{}", size(bytes))
    });
    let failures = if timing.failures > 0 {
        timing.failures.to_string()
    } else {
        String::new()
    };
    [
        timing.name.clone(),
        unit.show(timing.mean, half),
        value(timing.median),
        value(timing.min),
        value(timing.max),
        cpu.show(timing.user, None),
        cpu.show(timing.system, None),
        memory,
        timing.runs.to_string(),
        failures,
        of_first(answer, timing),
        spread(answer.commands, timing),
    ]
    .map(Cell::from)
    .into()
}

/// A line of bars; where there are several commands, over the range of all of them, without the slowest of their runs.
fn spread(commands: &[Timing], timing: &Timing) -> String {
    const ENOUGH: usize = 10;
    let ends = |of: &Timing| {
        let mut values = of.values.clone();
        values.sort_unstable_by(f64::total_cmp);
        let last = values.len().saturating_sub(1 + values.len() / 20);
        Some((*values.first()?, *values.get(last)?))
    };
    let ranges: Vec<(f64, f64)> = commands.iter().filter_map(ends).collect();
    let least = ranges
        .iter()
        .map(|range| range.0)
        .fold(f64::INFINITY, f64::min);
    let most = ranges
        .iter()
        .map(|range| range.1)
        .fold(f64::NEG_INFINITY, f64::max);
    if timing.values.len() < ENOUGH || most <= least {
        return String::new();
    }
    histogram::line(&timing.values, (least, most))
}
