//! A sequential run: the estimate and its repeated interval at every look, until it was decided.

use super::heading::{Heading, within};
use crate::{Axis, Figure, Mark, Panel, Series, TickFormat};

/// The looks of one arm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trajectory {
    /// Title and subtitle.
    pub heading: Heading,
    /// What the difference is, with its unit.
    pub value: String,
    /// The looks, in order.
    pub looks: Vec<LookPoint>,
    /// The smallest difference that matters.
    pub margin: Option<f64>,
    /// Pairs at which it stopped, and why.
    pub stop: Option<(usize, String)>,
    /// Pairs at most.
    pub budget: usize,
}

/// One look.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LookPoint {
    /// Pairs.
    pub pairs: usize,
    /// Lower end, estimate, upper end; an end may be infinite.
    pub range: [f64; 3],
}

const ESTIMATE: Series = Series(0);
const STOP: Series = Series(2);

/// Draws the course of a sequential run.
pub fn trajectory(data: &Trajectory) -> Figure {
    let at = |look: &LookPoint| look.pairs as f64;
    let mut marks = Vec::new();
    marks.extend(data.margin.map(|margin| Mark::Belt {
        low: -margin,
        high: margin,
        label: "too small to matter".to_owned(),
    }));
    marks.push(Mark::Band {
        series: ESTIMATE,
        points: data
            .looks
            .iter()
            .map(|look| (at(look), look.range[0], look.range[2]))
            .collect(),
        label: "repeated interval".to_owned(),
    });
    let budget = data
        .budget
        .max(data.looks.iter().map(|look| look.pairs).max().unwrap_or(1));
    let first = data.looks.iter().map(|look| look.pairs).min().unwrap_or(0) as f64;
    marks.push(Mark::Rule {
        from: (0.0, 0.0),
        to: (budget as f64 + 1.0, 0.0),
    });
    marks.push(Mark::Line {
        series: ESTIMATE,
        points: data
            .looks
            .iter()
            .map(|look| (at(look), look.range[1]))
            .collect(),
        label: "difference".to_owned(),
    });
    // One look alone has no band.
    marks.extend(data.looks.last().map(|look| {
        let [low, value, high] = look.range;
        Mark::Whiskers {
            series: ESTIMATE,
            points: vec![(at(look), value, low, high)],
            label: String::new(),
        }
    }));
    marks.extend(data.stop.as_ref().map(|(pairs, why)| Mark::At {
        series: STOP,
        x: *pairs as f64,
        label: why.clone(),
    }));
    let panel = Panel {
        title: String::new(),
        x: Axis::new("pairs", (first - 1.0).max(0.0), budget as f64 + 0.5)
            .format(TickFormat::Count),
        y: Axis::around(&data.value, shown(data)),
        marks,
    };
    data.heading.over(panel, description(data))
}

/// The first looks have intervals of many times the rest; the panel shows where decisions are made.
fn shown(data: &Trajectory) -> Vec<f64> {
    let mut widths: Vec<f64> = data
        .looks
        .iter()
        .map(|look| look.range[2] - look.range[0])
        .filter(|width| width.is_finite())
        .collect();
    widths.sort_by(f64::total_cmp);
    let usual = widths.get(widths.len() / 2).copied().unwrap_or(0.0);
    let looks = data.looks.iter();
    let ends = looks.flat_map(|look| within(look.range, usual));
    let margins = data.margin.iter().flat_map(|margin| [-margin, *margin]);
    ends.chain(margins).chain([0.0]).collect()
}

fn description(data: &Trajectory) -> String {
    let last = data.looks.last().map_or("no look".to_owned(), |look| {
        let [low, value, high] = look.range;
        let ends = if low.is_finite() && high.is_finite() {
            format!("from {low:+.4} to {high:+.4}")
        } else {
            "without bounds".to_owned()
        };
        format!("at {} pairs {value:+.4} {ends}", look.pairs)
    });
    let stop = data
        .stop
        .as_ref()
        .map_or("not decided".to_owned(), |(_, why)| why.clone());
    format!(
        "{}: {} looks, {last}; {stop}.",
        data.value,
        data.looks.len()
    )
}
