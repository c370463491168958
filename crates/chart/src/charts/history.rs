//! A benchmark's history: one point per run, and where its level changed.

use super::heading::{GOES_ON, Heading, within};
use crate::{Axis, Figure, Mark, Panel, Series, TickFormat};

/// The history of one metric.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// Title and subtitle.
    pub heading: Heading,
    /// What the values are, with their unit.
    pub value: String,
    /// The runs, oldest first.
    pub points: Vec<HistoryPoint>,
    /// Where the level changed.
    pub shifts: Vec<Shift>,
}

/// One run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HistoryPoint {
    /// Its name.
    pub name: String,
    /// Lower end, mean, upper end; NaN where there is none.
    pub range: [f64; 3],
}

/// A change of level.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shift {
    /// The first run of the new level, from 0.
    pub at: usize,
    /// The level before.
    pub before: f64,
    /// The level after.
    pub after: f64,
}

/// Runs that are drawn one by one at most.
const SINGLE: usize = 400;
const RUNS: Series = Series(0);
const LEVELS: Series = Series(1);
const CHANGES: Series = Series(2);

/// Draws a history.
pub fn history(data: &History) -> Figure {
    let mut marks = runs(data);
    marks.extend(levels(data));
    marks.extend(
        data.shifts
            .iter()
            .enumerate()
            .map(|(place, shift)| Mark::At {
                series: CHANGES,
                x: shift.at as f64 + 0.5,
                label: if place == 0 { "the level changed" } else { "" }.to_owned(),
            }),
    );
    // Wide intervals are cut so that they do not flatten the history.
    let reach = 3.0 * spread(data);
    let points = data.points.iter();
    let values = points.flat_map(|point| within(point.range, reach));
    let panel = Panel {
        title: String::new(),
        x: Axis::new(
            "run, oldest to newest",
            0.5,
            data.points.len().max(1) as f64 + 0.5,
        )
        .format(TickFormat::Count),
        y: Axis::around(&data.value, values),
        marks,
    };
    let (low, high) = panel.y.range();
    let is_cut = |point: &HistoryPoint| point.range[0] < low || point.range[2] > high;
    // So many that they become a band have no arrows.
    let arrows = data.points.len() <= SINGLE && data.points.iter().any(is_cut);
    let mut figure = data.heading.over(panel, description(data));
    figure.notes.extend(arrows.then(|| GOES_ON.to_owned()));
    figure
}

/// Each run with its interval; so many that they would hide each other become a line with a band.
fn runs(data: &History) -> Vec<Mark> {
    let placed = || {
        let points = data.points.iter().enumerate();
        points.map(|(place, point)| ((place + 1) as f64, point.range))
    };
    if data.points.len() <= SINGLE {
        let points = placed().map(|(x, [low, value, high])| (x, value, low, high));
        return vec![Mark::Whiskers {
            series: RUNS,
            points: points.collect(),
            label: String::new(),
        }];
    }
    vec![
        Mark::Band {
            series: RUNS,
            points: placed().map(|(x, [low, _, high])| (x, low, high)).collect(),
            label: String::new(),
        },
        Mark::Trace {
            series: RUNS,
            points: placed().map(|(x, [_, value, _])| (x, value)).collect(),
            label: String::new(),
        },
    ]
}

/// From the lowest to the highest run.
fn spread(data: &History) -> f64 {
    let values = data.points.iter().map(|point| point.range[1]);
    let (low, high) = Axis::around("", values).range();
    high - low
}

/// The mean of every stretch between changes.
fn levels(data: &History) -> Vec<Mark> {
    let mut edges: Vec<usize> = data.shifts.iter().map(|shift| shift.at).collect();
    edges.insert(0, 0);
    edges.push(data.points.len());
    let level = |place: usize| match place {
        0 => data.shifts.first().map(|shift| shift.before),
        place => data.shifts.get(place - 1).map(|shift| shift.after),
    };
    let stretches = edges.windows(2).enumerate();
    stretches
        .filter_map(|(place, edge)| {
            let level = level(place)?;
            Some(Mark::Stretch {
                series: LEVELS,
                y: level,
                x: [edge[0] as f64 + 0.5, edge[1] as f64 + 0.5],
                label: if place == 0 { "level" } else { "" }.to_owned(),
            })
        })
        .collect()
}

fn description(data: &History) -> String {
    let name = |place: usize| {
        data.points
            .get(place)
            .map_or("?", |point| point.name.as_str())
    };
    let shifts: Vec<String> = data
        .shifts
        .iter()
        .map(|shift| {
            format!(
                "from {:.4} to {:.4} at {}",
                shift.before,
                shift.after,
                name(shift.at)
            )
        })
        .collect();
    let changes = if shifts.is_empty() {
        "no change of level".to_owned()
    } else {
        format!("changes of level: {}", shifts.join("; "))
    };
    format!("{} over {} runs, {changes}.", data.value, data.points.len())
}
