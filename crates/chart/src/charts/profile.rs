//! The performance profile: which share of runs reaches at least each score.

use super::Heading;
use crate::{Axis, Figure, Mark, Panel, Series, TickFormat};

/// Profiles of several arms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// Title and subtitle.
    pub heading: Heading,
    /// What the thresholds are, with their unit.
    pub threshold: String,
    /// What the band is.
    pub band: String,
    /// The arms.
    pub arms: Vec<ProfileLine>,
}

/// One arm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProfileLine {
    /// Its name.
    pub name: String,
    /// Threshold, lower end, share, upper end; NaN ends are no band.
    pub points: Vec<[f64; 4]>,
}

/// Draws performance profiles.
pub fn profile(data: &Profile) -> Figure {
    let bands = data.arms.iter().enumerate().map(|(place, arm)| Mark::Band {
        series: Series(place),
        points: arm
            .points
            .iter()
            .map(|[x, low, _, high]| (*x, *low, *high))
            .collect(),
        label: if place == 0 {
            data.band.clone()
        } else {
            String::new()
        },
    });
    let lines = data.arms.iter().enumerate().map(|(place, arm)| Mark::Line {
        series: Series(place),
        points: arm
            .points
            .iter()
            .map(|[x, _, share, _]| (*x, *share))
            .collect(),
        label: arm.name.clone(),
    });
    let thresholds = data
        .arms
        .iter()
        .flat_map(|arm| arm.points.iter().map(|point| point[0]));
    let panel = Panel {
        title: String::new(),
        x: Axis::around(&data.threshold, thresholds),
        y: Axis::new("share of runs that reach it", 0.0, 1.02).format(TickFormat::Percent),
        marks: bands.chain(lines).collect(),
    };
    data.heading.over(panel, description(data))
}

fn description(data: &Profile) -> String {
    let arms: Vec<String> = data
        .arms
        .iter()
        .map(|arm| {
            let half = arm.points.iter().rev().find(|point| point[2] >= 0.5);
            half.map_or_else(
                || format!("{}: no score is reached by half of the runs", arm.name),
                |point| format!("{}: half of the runs reach {:.4}", arm.name, point[0]),
            )
        })
        .collect();
    format!("Share of runs by {}. {}.", data.threshold, arms.join("; "))
}
