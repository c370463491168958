//! Charts over several tasks and arms: the heat map, the leaderboard, chances, and cost against score.

use super::{LONG, heading, noise};
use fairtrial_chart::TickFormat;
use fairtrial_chart::charts::{
    Frontier, FrontierArm, HeatCell, HeatMap, HeatRow, IntervalRow, Intervals,
};

/// Tasks against arms, one value missing and one with a mark.
pub(super) fn grid(tasks: usize, arms: &[&str]) -> HeatMap {
    let row = |task: usize| HeatRow {
        name: if task == 2 {
            LONG.to_owned()
        } else {
            format!("task {task}")
        },
        cells: (0..arms.len())
            .map(|arm| {
                if (task, arm) == (1, 0) {
                    return HeatCell {
                        level: f64::NAN,
                        text: String::new(),
                    };
                }
                let level = f64::midpoint(noise(task + 17 * arm), 1.0);
                let mark = if (task, arm) == (0, 1) { " ▲" } else { "" };
                HeatCell {
                    level,
                    text: format!("{level:.2}{mark}"),
                }
            })
            .collect(),
    };
    HeatMap {
        heading: heading("score by task and arm"),
        columns: arms.iter().map(|arm| (*arm).to_owned()).collect(),
        rows: (0..tasks).map(row).collect(),
    }
}

/// Arms in order; the last one has one value only.
pub(super) fn leaderboard() -> Intervals {
    let row = |place: usize| {
        let value = 0.9 - 0.08 * place as f64;
        let half = if place == 5 { f64::NAN } else { 0.05 };
        IntervalRow {
            name: if place == 3 {
                LONG.to_owned()
            } else {
                format!("arm {place}")
            },
            note: ["best", "not separable from the best", "worse"][place.min(2)].to_owned(),
            range: [value - half, value, value + half],
            look: place,
        }
    };
    Intervals {
        heading: heading("Arms by score"),
        axis: "score".to_owned(),
        format: TickFormat::Plain,
        level: None,
        rows: (0..6).map(row).collect(),
    }
}

/// Chances to be better, against none.
pub(super) fn chances() -> Intervals {
    let row = |place: usize| {
        let value = 0.4 + 0.25 * place as f64;
        IntervalRow {
            name: format!("arm {place}"),
            note: String::new(),
            range: [value - 0.1, value, (value + 0.1_f64).min(1.0)],
            look: 0,
        }
    };
    Intervals {
        heading: heading("Probability of improvement"),
        axis: "a run is better than one of the control".to_owned(),
        format: TickFormat::Percent,
        level: Some(0.5),
        rows: (0..3).map(row).collect(),
    }
}

/// Arms by cost and score, one of them beaten.
pub(super) fn costs() -> Frontier {
    let arm = |(place, cost, score, unbeaten): (usize, f64, f64, bool)| FrontierArm {
        name: format!("model {place}"),
        look: place,
        cost,
        score: [score - 0.07, score, score + 0.07],
        unbeaten,
    };
    let arms = [
        (0, 0.02, 0.41, true),
        (1, 0.11, 0.66, true),
        (2, 0.13, 0.52, false),
        (3, 0.48, 0.71, true),
    ];
    Frontier {
        heading: heading("Cost against score"),
        cost: "dollars per rollout".to_owned(),
        score: "score".to_owned(),
        arms: arms.map(arm).into(),
    }
}
