//! The numbers of each command.

use super::BenchAnswer;
use super::time_unit::TimeUnit;
use crate::grid::{Cell, Column, Grid};
use fairtrial_analysis::bench::Timing;
use fairtrial_text::bytes::size;
use fairtrial_text::number::NumberFormat;

pub(super) fn grid(answer: &BenchAnswer<'_>) -> Grid {
    let unit = TimeUnit::of(answer.commands.iter().map(|timing| timing.median));
    let mut grid = Grid::new(vec![
        Column::words("command"),
        Column::numbers("mean ± 95 %"),
        Column::numbers("median"),
        Column::numbers("min"),
        Column::numbers("max").may_go(4),
        Column::numbers("user").may_go(2),
        Column::numbers("system").may_go(2),
        Column::numbers("memory").may_go(3),
        Column::numbers("runs").may_go(1),
        Column::numbers("failures"),
        Column::numbers("× the first"),
    ]);
    for timing in answer.commands {
        grid.push(row(answer, timing, unit));
    }
    grid.without_empty_columns()
}

fn row(answer: &BenchAnswer<'_>, timing: &Timing, unit: TimeUnit) -> Vec<Cell> {
    let half = timing.interval.map(|interval| interval.high - timing.mean);
    let time = |seconds: f64| unit.show(seconds, None);
    let memory = timing.memory.map_or(String::new(), |bytes| {
        let bound = if timing.memory_is_bound { "≤ " } else { "" };
        format!("{bound}{}", size(bytes))
    });
    let first = answer
        .commands
        .first()
        .filter(|first| first.name != timing.name && first.mean > 0.0);
    let ratio = first.map_or(String::new(), |first| {
        let ratio = timing.mean / first.mean;
        NumberFormat::Fixed(3).number(ratio)
    });
    let failures = if timing.failures > 0 {
        timing.failures.to_string()
    } else {
        String::new()
    };
    [
        timing.name.clone(),
        unit.show(timing.mean, half),
        time(timing.median),
        time(timing.min),
        time(timing.max),
        time(timing.user),
        time(timing.system),
        memory,
        timing.runs.to_string(),
        failures,
        ratio,
    ]
    .map(Cell::from)
    .into()
}
