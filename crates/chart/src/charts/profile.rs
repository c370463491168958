//! The performance profile: which share of runs is better than each score.

use super::heading::Heading;
use crate::{Axis, Figure, Mark, Panel, Series, TickFormat};

/// Profiles of several arms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// Title and subtitle.
    pub heading: Heading,
    /// What the thresholds are, with their unit.
    pub threshold: String,
    /// On which side of a threshold runs are counted.
    pub counted: Counted,
    /// What the band is.
    pub band: String,
    /// The arms.
    pub arms: Vec<ProfileLine>,
}

/// The runs that a profile counts: those on the better side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Counted {
    /// Above the threshold.
    #[default]
    Above,
    /// Below it.
    Below,
}

impl Counted {
    const fn word(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
        }
    }
}

/// One arm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProfileLine {
    /// Its name.
    pub name: String,
    /// Its look, which is the same in all charts.
    pub look: usize,
    /// Threshold, lower end, share, upper end; NaN ends are no band.
    pub points: Vec<[f64; 4]>,
}

/// Draws performance profiles.
pub fn profile(data: &Profile) -> Figure {
    let bands = data.arms.iter().enumerate().map(|(place, arm)| Mark::Band {
        series: Series(arm.look),
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
    let lines = data.arms.iter().map(|arm| Mark::Line {
        series: Series(arm.look),
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
        y: Axis::new(
            format!("share of runs {} it", data.counted.word()),
            0.0,
            1.02,
        )
        .format(TickFormat::Percent),
        marks: bands.chain(lines).collect(),
    };
    data.heading.over(panel, description(data))
}

fn description(data: &Profile) -> String {
    let arms: Vec<String> = data
        .arms
        .iter()
        .map(|arm| {
            let enough = |point: &&[f64; 4]| point[2] >= 0.5;
            let half = match data.counted {
                Counted::Above => arm.points.iter().rev().find(enough),
                Counted::Below => arm.points.iter().find(enough),
            };
            half.map_or_else(
                || format!("{}: at no score half of the runs", arm.name),
                |point| format!("{}: half of the runs at {:.4}", arm.name, point[0]),
            )
        })
        .collect();
    format!(
        "Share of runs {} each value of {}. {}.",
        data.counted.word(),
        data.threshold,
        arms.join("; ")
    )
}
