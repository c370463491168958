//! Cost against score: each arm as a point with the interval of its score, and the line of those that none beats in both.

use super::heading::Heading;
use crate::{Axis, Figure, Mark, Panel, Series};

/// Arms by what they cost and what they reach.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frontier {
    /// Title and subtitle.
    pub heading: Heading,
    /// What they cost.
    pub cost: String,
    /// What they reach.
    pub score: String,
    /// The arms.
    pub arms: Vec<FrontierArm>,
}

/// One arm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontierArm {
    /// Its name.
    pub name: String,
    /// Its look, which is the same in all charts.
    pub look: usize,
    /// What it costs.
    pub cost: f64,
    /// Lower end, score, upper end; ends that are NaN are none.
    pub score: [f64; 3],
    /// Whether no other arm is at least as good and as cheap, and better in one of the two.
    pub unbeaten: bool,
}

/// Draws cost against score.
pub fn frontier(data: &Frontier) -> Figure {
    let mut best: Vec<&FrontierArm> = data.arms.iter().filter(|arm| arm.unbeaten).collect();
    best.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut marks: Vec<Mark> = best
        .windows(2)
        .map(|two| Mark::Rule {
            from: (two[0].cost, two[0].score[1]),
            to: (two[1].cost, two[1].score[1]),
        })
        .collect();
    marks.extend(data.arms.iter().map(|arm| Mark::Whiskers {
        series: Series(arm.look),
        points: vec![(arm.cost, arm.score[1], arm.score[0], arm.score[2])],
        label: arm.name.clone(),
    }));
    let panel = Panel {
        title: String::new(),
        x: Axis::around(
            &data.cost,
            data.arms.iter().map(|arm| arm.cost).chain([0.0]),
        ),
        y: Axis::around(&data.score, data.arms.iter().flat_map(|arm| arm.score)),
        marks,
    };
    data.heading.over(panel, description(data))
}

fn description(data: &Frontier) -> String {
    let arms = data.arms.iter().map(|arm| {
        let unbeaten = if arm.unbeaten { ", unbeaten" } else { "" };
        format!(
            "{}: {:.4} at {:.4}{unbeaten}",
            arm.name, arm.score[1], arm.cost
        )
    });
    format!(
        "{} against {}. {}.",
        data.score,
        data.cost,
        arms.collect::<Vec<_>>().join("; ")
    )
}
