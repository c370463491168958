//! What the arms of agent tasks cost, against what they reach, and which of them none beats in both.

use super::overview::place;
use crate::rollouts::{ArmRollouts, RolloutSummary};
use fairtrial_spec::Spec;
use serde::Serialize;

/// Arms by cost and score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostFrontier {
    /// The arms of which both are known.
    pub arms: Vec<ArmCost>,
    /// The arms of which the cost of some attempt, or the score, is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// One arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmCost {
    /// Its name.
    pub arm: String,
    /// Its place among the arms of the spec, by which all charts draw it alike.
    #[serde(skip)]
    pub place: usize,
    /// Dollars per rollout, over all attempts at it.
    pub cost: f64,
    /// The mean score, a failed rollout as 0.
    pub score: f64,
    /// The ends of its interval; inside of 0 to 1 where scores are shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Whether no other arm is at least as good and as cheap, and better in one of the two.
    pub unbeaten: bool,
}

/// The arms by cost and score, where there are two or more with both.
pub(super) fn frontier(rollouts: &RolloutSummary, spec: &Spec) -> Option<CostFrontier> {
    let known: Vec<Result<ArmCost, String>> = rollouts
        .arms
        .iter()
        .map(|arm| one(arm, rollouts, spec).ok_or_else(|| arm.arm.clone()))
        .collect();
    let mut arms: Vec<ArmCost> = known.iter().flatten().cloned().collect();
    let unknown = known.into_iter().filter_map(Result::err).collect();
    let marks: Vec<bool> = arms.iter().map(|arm| is_unbeaten(arm, &arms)).collect();
    for (arm, unbeaten) in arms.iter_mut().zip(marks) {
        arm.unbeaten = unbeaten;
    }
    (arms.len() > 1).then_some(CostFrontier { arms, unknown })
}

fn one(arm: &ArmRollouts, all: &RolloutSummary, spec: &Spec) -> Option<ArmCost> {
    let score = arm.over_all.as_ref()?;
    let cost = arm.cost.filter(|_| arm.cost_unknown == 0)? / arm.rollouts as f64;
    (cost.is_finite() && score.mean.is_finite()).then(|| ArmCost {
        arm: arm.arm.clone(),
        place: place(spec, &arm.arm),
        cost,
        score: score.mean,
        interval: score.interval.map(|of| {
            if all.beyond_shares {
                [of.low, of.high]
            } else {
                [of.low.max(0.0), of.high.min(1.0)]
            }
        }),
        unbeaten: false,
    })
}

fn is_unbeaten(arm: &ArmCost, all: &[ArmCost]) -> bool {
    let beats = |other: &&ArmCost| {
        let no_worse = other.cost <= arm.cost && other.score >= arm.score;
        no_worse && (other.cost < arm.cost || other.score > arm.score)
    };
    !all.iter().any(|other| beats(&other))
}

#[cfg(test)]
mod tests {
    use super::{ArmCost, is_unbeaten};

    #[test]
    fn an_arm_is_beaten_by_one_that_is_cheaper_and_as_good() {
        let arm = |cost: f64, score: f64| ArmCost {
            arm: String::new(),
            place: 0,
            cost,
            score,
            interval: None,
            unbeaten: false,
        };
        let all = [arm(1.0, 0.5), arm(2.0, 0.5), arm(3.0, 0.9), arm(1.0, 0.5)];
        let marks: Vec<bool> = all.iter().map(|arm| is_unbeaten(arm, &all)).collect();
        assert_eq!(marks, [true, false, true, true]);
    }
}
