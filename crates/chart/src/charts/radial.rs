//! The radial plot: several metrics at once, each as a share of the control's, outwards is better.

use super::heading::Heading;
use crate::{Axis, Figure, Mark, Panel, Series, Towards};
use fairtrial_text::share::percent_to;
use std::f64::consts::TAU;

/// Several metrics of several arms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Radial {
    /// Title and subtitle.
    pub heading: Heading,
    /// The metrics, clockwise from the top.
    pub spokes: Vec<String>,
    /// The arms.
    pub arms: Vec<RadialArm>,
}

/// One arm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RadialArm {
    /// Its name.
    pub name: String,
    /// Its look, which is the same in all charts.
    pub look: usize,
    /// One value per metric: 1 is as good as the control, more is better. NaN is a gap.
    pub values: Vec<f64>,
}

/// Radius of the outermost ring, in rings' units; what lies beyond is drawn on it.
const RIM: f64 = 1.0;
/// Where labels stand, and how wide and high the panel is around them.
const LABELS: f64 = 1.12;
const HALF_WIDTH: f64 = 2.6;
const HALF_HEIGHT: f64 = 1.3;
/// The largest value that is drawn.
const MOST: f64 = 3.0;

/// Draws a radial plot.
pub fn radial(data: &Radial) -> Figure {
    let most = outermost(data);
    let mut marks = rings(data.spokes.len(), most);
    for arm in &data.arms {
        let values = arm.values.iter().enumerate();
        marks.push(Mark::Outline {
            series: Series(arm.look),
            points: values
                .map(|(spoke, value)| {
                    at(
                        spoke,
                        data.spokes.len(),
                        RIM * value.clamp(0.0, most) / most,
                    )
                })
                .collect(),
            label: arm.name.clone(),
        });
    }
    for (place, name) in data.spokes.iter().enumerate() {
        let (x, y) = at(place, data.spokes.len(), LABELS);
        let towards = if x.abs() < 0.2 {
            Towards::Middle
        } else if x > 0.0 {
            Towards::Right
        } else {
            Towards::Left
        };
        marks.push(Mark::Words {
            at: (x, y),
            towards,
            text: name.clone(),
        });
    }
    let panel = Panel {
        title: String::new(),
        x: Axis::hidden(-HALF_WIDTH, HALF_WIDTH),
        y: Axis::hidden(-HALF_HEIGHT, HALF_HEIGHT),
        marks,
    };
    data.heading.over(panel, description(data))
}

/// The value of the rim: the largest there is, rounded up to a quarter.
fn outermost(data: &Radial) -> f64 {
    let largest = data
        .arms
        .iter()
        .flat_map(|arm| &arm.values)
        .copied()
        .filter(|value| value.is_finite())
        .fold(1.0, f64::max);
    ((largest * 4.0 + 0.2).ceil() / 4.0).clamp(1.25, MOST)
}

/// The place of a spoke at a radius, clockwise from the top.
fn at(spoke: usize, spokes: usize, radius: f64) -> (f64, f64) {
    let angle = TAU * spoke as f64 / spokes.max(1) as f64;
    (radius * angle.sin(), radius * angle.cos())
}

/// Rings and spokes; the ring of the control is named.
fn rings(spokes: usize, most: f64) -> Vec<Mark> {
    let mut marks = Vec::new();
    for value in [0.5, 1.0, most] {
        let radius = RIM * value / most;
        // A ring of straight pieces, so that it is the same in every drawing of the panel.
        let place = |step: usize| {
            let angle = TAU * step as f64 / 48.0;
            (radius * angle.sin(), radius * angle.cos())
        };
        marks.extend((0..48).map(|step| Mark::Rule {
            from: place(step),
            to: place(step + 1),
        }));
        // A rim close to the ring of the control goes unnamed: the two names would stand on each other.
        if value > 1.0 && value < 1.5 {
            continue;
        }
        let between = TAU / 2.0 / spokes.max(1) as f64;
        marks.push(Mark::Words {
            at: (radius * between.sin(), radius * between.cos()),
            towards: Towards::Middle,
            text: percent_to(value, 0),
        });
    }
    marks.extend((0..spokes).map(|spoke| Mark::Rule {
        from: (0.0, 0.0),
        to: at(spoke, spokes, RIM),
    }));
    marks
}

fn description(data: &Radial) -> String {
    let arms: Vec<String> = data
        .arms
        .iter()
        .map(|arm| {
            let values: Vec<String> = data
                .spokes
                .iter()
                .zip(&arm.values)
                .filter(|(_, value)| value.is_finite())
                .map(|(spoke, value)| format!("{spoke} {}", percent_to(*value, 0)))
                .collect();
            format!("{}: {}", arm.name, values.join(", "))
        })
        .collect();
    format!(
        "Metrics as a share of the control's, more is better. {}.",
        arms.join("; ")
    )
}
