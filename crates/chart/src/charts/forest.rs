//! The forest plot: every difference with its interval, and the margin below which none matters.

use super::heading::{GOES_ON, Heading, within};
use crate::{Axis, Figure, Mark, Panel, Series, TickFormat};
use fairtrial_text::share::change;

/// Differences, one per row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forest {
    /// Title and subtitle.
    pub heading: Heading,
    /// What is along the axis.
    pub axis: String,
    /// How its ticks are written.
    pub format: TickFormat,
    /// The rows, from the top down.
    pub rows: Vec<ForestRow>,
}

/// One difference.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForestRow {
    /// What it is of.
    pub name: String,
    /// What stands at its end: the verdict.
    pub note: String,
    /// Lower end, estimate, upper end; NaN where there is none.
    pub range: [f64; 3],
    /// The smallest difference that matters, on both sides of zero.
    pub margin: Option<f64>,
    /// The look: rows that belong together share one.
    pub look: usize,
}

/// Draws a forest plot.
pub fn forest(data: &Forest) -> Figure {
    let mut marks = Vec::new();
    for (place, row) in data.rows.iter().enumerate() {
        let first = data.rows.iter().position(|row| row.margin.is_some()) == Some(place);
        marks.extend(row.margin.map(|margin| Mark::Zone {
            y: place as f64,
            low: -margin,
            high: margin,
            label: if first { "too small to matter" } else { "" }.to_owned(),
        }));
    }
    let last = data.rows.len().max(1) as f64 - 0.5;
    marks.push(Mark::Rule {
        from: (0.0, -0.5),
        to: (0.0, last),
    });
    marks.extend(
        data.rows
            .iter()
            .enumerate()
            .map(|(place, row)| Mark::Range {
                series: Series(row.look),
                y: place as f64,
                x: row.range,
                label: String::new(),
            }),
    );
    let names = data.rows.iter().map(|row| row.name.clone()).collect();
    let notes = data.rows.iter().map(|row| row.note.clone()).collect();
    let panel = Panel {
        title: String::new(),
        x: Axis::around(&data.axis, ends(data)).format(data.format),
        y: Axis::noted("", names, notes),
        marks,
    };
    let (low, high) = panel.x.range();
    let is_cut = |row: &ForestRow| row.range[0] < low || row.range[2] > high;
    let mut figure = data.heading.over(panel, description(data));
    if data.rows.iter().any(is_cut) {
        figure.notes.push(GOES_ON.to_owned());
    }
    figure
}

/// What the axis must show: estimates and margins whole, intervals as far as they do not dwarf the rest.
fn ends(data: &Forest) -> Vec<f64> {
    let mut values = vec![0.0];
    for row in &data.rows {
        values.extend(row.margin.iter().flat_map(|margin| [-margin, *margin]));
    }
    let mut widths: Vec<f64> = data
        .rows
        .iter()
        .map(|row| row.range[2] - row.range[0])
        .filter(|width| width.is_finite())
        .collect();
    widths.sort_by(f64::total_cmp);
    // A row that knows almost nothing must not make all others dots.
    let usual = widths.get(widths.len() / 2).copied().unwrap_or(0.0);
    for row in &data.rows {
        let reach = 3.0 * usual;
        values.extend(within(row.range, reach));
    }
    values
}

fn description(data: &Forest) -> String {
    let percent = matches!(data.format, TickFormat::Change | TickFormat::Percent);
    let shown = |x: f64| {
        if percent {
            change(x)
        } else {
            format!("{x:+.4}")
        }
    };
    let rows: Vec<String> = data
        .rows
        .iter()
        .map(|row| {
            let [low, value, high] = row.range.map(shown);
            let ends = match row.range {
                [_, value, _] if value.is_nan() => "no estimate".to_owned(),
                [low, _, high] if !low.is_finite() || !high.is_finite() => {
                    format!("{value} without bounds")
                }
                _ => format!("{value} from {low} to {high}"),
            };
            format!("{}: {ends}, {}", row.name, row.note)
        })
        .collect();
    format!("{}. {}.", data.axis, rows.join("; "))
}
