//! Densities: how values are spread, one curve per group, all over the same axis.

use super::heading::Heading;
use crate::{Axis, Figure, Mark, Panel, Series};

/// Densities of one metric.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Densities {
    /// Title and subtitle.
    pub heading: Heading,
    /// What the values are, with their unit.
    pub value: String,
    /// The groups.
    pub lines: Vec<DensityLine>,
}

/// One group.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DensityLine {
    /// Its name.
    pub name: String,
    /// Its look, which is the same in all charts.
    pub look: usize,
    /// Its median.
    pub median: Option<f64>,
    /// Values with their density.
    pub points: Vec<(f64, f64)>,
}

/// Draws densities. The highest point of all is 1: what a density is in units of the values helps nobody.
pub fn density(data: &Densities) -> Figure {
    let all = || data.lines.iter().flat_map(|line| &line.points);
    let highest = all().map(|point| point.1).fold(0.0, f64::max);
    let scaled = |line: &DensityLine| -> Vec<(f64, f64)> {
        let points = line.points.iter();
        points.map(|(x, y)| (*x, y / highest)).collect()
    };
    let areas = data.lines.iter().map(|line| Mark::Band {
        series: Series(line.look),
        points: scaled(line).iter().map(|(x, y)| (*x, 0.0, *y)).collect(),
        label: String::new(),
    });
    let lines = data.lines.iter().map(|line| Mark::Line {
        series: Series(line.look),
        points: scaled(line),
        label: line.name.clone(),
    });
    let panel = Panel {
        title: String::new(),
        x: Axis::around(&data.value, all().map(|point| point.0)),
        y: Axis::new("density (highest = 1)", 0.0, 1.05),
        marks: areas.chain(lines).collect(),
    };
    data.heading.over(panel, description(data))
}

fn description(data: &Densities) -> String {
    let lines = data.lines.iter();
    let lines: Vec<String> = lines
        .map(|line| match line.median {
            Some(median) => format!("{}: median {median:.4}", line.name),
            None => line.name.clone(),
        })
        .collect();
    format!("Density of {}. {}.", data.value, lines.join("; "))
}
