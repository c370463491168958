//! Learning curves: a mean with its band per arm, and every seed's own line behind it.

use super::heading::Heading;
use crate::{Axis, Figure, Mark, Panel, Series};

/// Learning curves of one metric.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curves {
    /// Title and subtitle.
    pub heading: Heading,
    /// What the steps are.
    pub step: String,
    /// What the values are, with their unit.
    pub value: String,
    /// What the band is.
    pub band: String,
    /// The arms.
    pub arms: Vec<Curve>,
}

/// One arm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// How many runs the mean is over.
    pub runs: usize,
    /// The mean, with the lower and the upper end of its band: step, low, mean, high. Ends that are NaN are no band, a
    /// mean that is NaN is a gap.
    pub mean: Vec<[f64; 4]>,
    /// One line per seed.
    pub traces: Vec<Vec<(f64, f64)>>,
}

/// How far a band may stretch the axis beyond the lines, in heights of the lines: the band of two seeds is many times
/// as wide as all there is to see.
const STRETCH: f64 = 0.6;

/// Draws learning curves.
pub fn curves(data: &Curves) -> Figure {
    let mut marks = Vec::new();
    for (place, arm) in data.arms.iter().enumerate() {
        let traces = arm.traces.iter().enumerate();
        marks.extend(traces.map(|(trace, points)| Mark::Trace {
            series: Series(place),
            points: points.clone(),
            label: if trace == 0 && last_mean(arm).is_none() {
                format!("{} (no mean)", arm.name)
            } else {
                String::new()
            },
        }));
    }
    let first_band = data.arms.iter().position(has_band);
    for (place, arm) in data.arms.iter().enumerate() {
        let named_once = if first_band == Some(place) {
            &data.band
        } else {
            ""
        };
        marks.push(Mark::Band {
            series: Series(place),
            points: arm
                .mean
                .iter()
                .map(|[x, low, _, high]| (*x, *low, *high))
                .collect(),
            label: named_once.to_owned(),
        });
    }
    for (place, arm) in data.arms.iter().enumerate() {
        marks.push(Mark::Line {
            series: Series(place),
            points: arm.mean.iter().map(|[x, _, mean, _]| (*x, *mean)).collect(),
            label: if last_mean(arm).is_some() {
                arm.name.clone()
            } else {
                String::new()
            },
        });
    }
    let panel = Panel {
        title: String::new(),
        x: Axis::around(&data.step, steps(data)),
        y: y_axis(data),
        marks,
    };
    data.heading.over(panel, description(data))
}

fn has_band(arm: &Curve) -> bool {
    arm.mean
        .iter()
        .any(|[_, low, _, high]| !low.is_nan() && !high.is_nan())
}

/// The last step at which there is a mean, and the mean there.
fn last_mean(arm: &Curve) -> Option<(f64, f64)> {
    let there = arm.mean.iter().rev().find(|point| point[2].is_finite());
    there.map(|[step, _, mean, _]| (*step, *mean))
}

fn steps(data: &Curves) -> impl Iterator<Item = f64> + '_ {
    let means = data
        .arms
        .iter()
        .flat_map(|arm| arm.mean.iter().map(|point| point[0]));
    let traces = data.arms.iter().flat_map(|arm| arm.traces.iter().flatten());
    means.chain(traces.map(|point| point.0))
}

fn y_axis(data: &Curves) -> Axis {
    let means = data
        .arms
        .iter()
        .flat_map(|arm| arm.mean.iter().map(|point| point[2]));
    let traces = data.arms.iter().flat_map(|arm| arm.traces.iter().flatten());
    let lines = means.chain(traces.map(|point| point.1));
    let (low, high) = Axis::around("", lines).range();
    let room = STRETCH * (high - low);
    let ends = data.arms.iter().flat_map(|arm| &arm.mean);
    let banded = ends
        .filter(|point| !point[1].is_nan() && !point[3].is_nan())
        .flat_map(|point| [point[1].max(low - room), point[3].min(high + room)]);
    Axis::around(&data.value, banded.chain([low, high]))
}

fn description(data: &Curves) -> String {
    let arms: Vec<String> = data
        .arms
        .iter()
        .map(|arm| match last_mean(arm) {
            Some((step, mean)) => format!(
                "{}: mean {mean:.4} at {} {step} over {} runs",
                arm.name, data.step, arm.runs
            ),
            None => format!("{}: no mean", arm.name),
        })
        .collect();
    let mut text = format!("{} by {}. {}.", data.value, data.step, arms.join("; "));
    for note in &data.heading.notes {
        text.push(' ');
        text.push_str(note);
    }
    text
}
