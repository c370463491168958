//! Distributions: every value as a point, and a box around the middle half, group beside group.

use super::heading::Heading;
use crate::{Axis, Figure, Mark, Panel, Series};

/// Values of one metric by group.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Distribution {
    /// Title and subtitle.
    pub heading: Heading,
    /// What the values are, with their unit.
    pub value: String,
    /// The groups, from left to right.
    pub groups: Vec<DistributionGroup>,
}

/// One group.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DistributionGroup {
    /// Its name.
    pub name: String,
    /// The values.
    pub values: Vec<f64>,
    /// Lower whisker, lower quartile, median, upper quartile, upper whisker; absent for few values.
    pub five: Option<[f64; 5]>,
}

/// How far points are moved sideways so that equal ones do not hide each other.
const SIDEWAYS: f64 = 0.11;
/// Left of the middle stands the box, right of it the points.
const BOX_AT: f64 = -0.16;
const POINTS_AT: f64 = 0.16;
/// The golden ratio's fraction: places that never repeat and never cluster.
const SPREAD: f64 = 0.618_033_988_749_894_9;

/// Draws distributions.
pub fn distribution(data: &Distribution) -> Figure {
    let mut marks = Vec::new();
    for (place, group) in data.groups.iter().enumerate() {
        marks.extend(group.five.map(|five| Mark::Box {
            series: Series(place),
            x: place as f64 + BOX_AT,
            y: five,
        }));
        let offset = |n: usize| SIDEWAYS * (2.0 * ((n as f64 * SPREAD).fract()) - 1.0);
        let points = group.values.iter().enumerate();
        marks.push(Mark::Points {
            series: Series(place),
            points: points
                .map(|(n, value)| (place as f64 + POINTS_AT + offset(n), *value))
                .collect(),
            label: String::new(),
        });
    }
    let names = data.groups.iter().map(|group| group.name.clone()).collect();
    let values = data.groups.iter().flat_map(|group| {
        let five = group.five.into_iter().flatten();
        group.values.iter().copied().chain(five)
    });
    let panel = Panel {
        title: String::new(),
        x: Axis::named("", names),
        y: Axis::around(&data.value, values),
        marks,
    };
    data.heading.over(panel, description(data))
}

fn description(data: &Distribution) -> String {
    let groups: Vec<String> = data
        .groups
        .iter()
        .map(|group| match group.five {
            Some([_, first, median, third, _]) => format!(
                "{}: {} values, median {median:.4}, middle half from {first:.4} to {third:.4}",
                group.name,
                group.values.len()
            ),
            None => format!("{}: {} values", group.name, group.values.len()),
        })
        .collect();
    format!("{}. {}.", data.value, groups.join("; "))
}
