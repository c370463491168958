//! The power curve: the chance to find an effect, by how many runs are made.

use super::heading::Heading;
use crate::{Axis, Figure, Mark, Panel, Series, TickFormat};
use fairtrial_text::share::percent_to;

/// Power by number of runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Power {
    /// Title and subtitle.
    pub heading: Heading,
    /// The chance that is asked for.
    pub target: f64,
    /// The designs.
    pub designs: Vec<PowerLine>,
}

/// One design.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PowerLine {
    /// Its name.
    pub name: String,
    /// Number of runs (pairs, or runs of each arm) and the chance.
    pub points: Vec<(usize, f64)>,
    /// The number that is enough.
    pub required: Option<u64>,
}

const TARGET: Series = Series(2);

/// Draws power curves.
pub fn power(data: &Power) -> Figure {
    let mut marks = vec![Mark::Level {
        series: TARGET,
        y: data.target,
        label: format!("asked for: {}", percent_to(data.target, 0)),
    }];
    for (place, design) in data.designs.iter().enumerate() {
        let points = design.points.iter();
        marks.push(Mark::Line {
            series: Series(place),
            points: points.map(|(n, power)| (*n as f64, *power)).collect(),
            label: design.name.clone(),
        });
        marks.extend(design.required.map(|n| Mark::At {
            series: Series(place),
            x: n as f64,
            label: format!("{}: {n} are enough", design.name),
        }));
    }
    let sizes = data.designs.iter().flat_map(|design| {
        let required = design.required.map(|n| n as f64);
        let drawn = design.points.iter().map(|(n, _)| *n as f64);
        drawn.chain(required)
    });
    let panel = Panel {
        title: String::new(),
        x: Axis::new("runs of each arm", 0.0, 1.04 * sizes.fold(2.0, f64::max))
            .format(TickFormat::Count),
        y: Axis::new("chance to find the effect", 0.0, 1.02).format(TickFormat::Percent),
        marks,
    };
    data.heading.over(panel, description(data))
}

fn description(data: &Power) -> String {
    let designs: Vec<String> = data
        .designs
        .iter()
        .map(|design| match design.required {
            Some(n) => format!("{}: {n} runs of each arm", design.name),
            None => format!("{}: no realistic number is enough", design.name),
        })
        .collect();
    format!(
        "Chance to find the effect by the number of runs; for {}, {}.",
        percent_to(data.target, 0),
        designs.join("; ")
    )
}
