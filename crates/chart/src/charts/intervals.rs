//! Values with their intervals, one per row: a leaderboard, or chances against a level.

use super::heading::{GOES_ON, Heading};
use crate::{Axis, Figure, Mark, Panel, Series, TickFormat};

/// Values with intervals.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intervals {
    /// Title and subtitle.
    pub heading: Heading,
    /// What is along the axis.
    pub axis: String,
    /// How its ticks are written.
    pub format: TickFormat,
    /// A value that all are seen against.
    pub level: Option<f64>,
    /// The rows, from the top down.
    pub rows: Vec<IntervalRow>,
}

/// One value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IntervalRow {
    /// What it is of.
    pub name: String,
    /// What stands at its end.
    pub note: String,
    /// Lower end, value, upper end; ends that are NaN are none.
    pub range: [f64; 3],
    /// The look, which is the same in all charts.
    pub look: usize,
}

/// Draws values with their intervals.
pub fn intervals(data: &Intervals) -> Figure {
    let last = data.rows.len().max(1) as f64 - 0.5;
    let mut marks: Vec<Mark> = Vec::new();
    marks.extend(data.level.map(|level| Mark::Rule {
        from: (level, -0.5),
        to: (level, last),
    }));
    let rows = data.rows.iter().enumerate();
    marks.extend(rows.map(|(place, row)| Mark::Range {
        series: Series(row.look),
        y: place as f64,
        x: row.range,
        label: String::new(),
    }));
    let ends = data.rows.iter().flat_map(|row| row.range);
    let panel = Panel {
        title: String::new(),
        x: Axis::around(&data.axis, ends.chain(data.level)).format(data.format),
        y: Axis::noted(
            "",
            data.rows.iter().map(|row| row.name.clone()).collect(),
            data.rows.iter().map(|row| row.note.clone()).collect(),
        ),
        marks,
    };
    let mut figure = data.heading.over(panel, description(data));
    let unbounded = |row: &IntervalRow| row.range.iter().any(|end| end.is_infinite());
    if data.rows.iter().any(unbounded) {
        figure.notes.push(GOES_ON.to_owned());
    }
    figure
}

fn description(data: &Intervals) -> String {
    let rows = data.rows.iter().map(|row| {
        let [low, value, high] = row.range;
        let ends = if low.is_nan() || high.is_nan() {
            String::new()
        } else {
            format!(" from {low:.4} to {high:.4}")
        };
        let note = if row.note.is_empty() {
            String::new()
        } else {
            format!(", {}", row.note)
        };
        format!("{}: {value:.4}{ends}{note}", row.name)
    });
    format!("{}. {}.", data.axis, rows.collect::<Vec<_>>().join("; "))
}
