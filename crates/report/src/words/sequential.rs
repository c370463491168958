//! Why a sequential run ended.

use super::objection::objection;
use fairtrial_analysis::sequential::{ArmAnswer, ArmReason, NoAnswer, NoResult, Stop, Trajectory};

/// Why the run ended, with the answers that there are; absent while it goes on.
pub fn stop_reason(trajectory: &Trajectory) -> Option<String> {
    trajectory.stop?;
    let first = trajectory.answers.first()?;
    if trajectory.answers.len() == 1 || trajectory.taken_back.is_some() {
        return first.reason.as_ref().map(arm_reason);
    }
    let words = |answer: &ArmAnswer| {
        let why = answer.reason.as_ref().map_or(String::new(), arm_reason);
        match answer.stop {
            Some(stop) => format!(
                "{} {} after {} pairs",
                answer.arm,
                stop.word(),
                answer.pairs
            ),
            None => format!("{}: {why}", answer.arm),
        }
    };
    let each: Vec<String> = trajectory.answers.iter().map(words).collect();
    Some(each.join("; "))
}

/// Why there is this answer for an arm, or none.
pub(crate) fn arm_reason(reason: &ArmReason) -> String {
    match reason {
        ArmReason::Answered {
            stop: Stop::Futile,
            pairs,
        } => format!(
            "undecided after {pairs} pairs, and the rest of the budget would hardly change that"
        ),
        ArmReason::Answered { stop, pairs } => format!("{} after {pairs} pairs", stop.word()),
        ArmReason::Exhausted { budget, why } => {
            let budget = format!("the budget of {budget} pairs is used up");
            match why {
                Some(NoAnswer::Objection { by }) => format!("{budget}: {}", objection(by)),
                Some(NoAnswer::NoResult { why }) => format!("{budget}: {}", no_result(why)),
                None => format!("{budget} without an answer"),
            }
        }
    }
}

/// Why a look has no result.
pub(crate) fn no_result(why: &NoResult) -> String {
    match why {
        NoResult::Same => "every value is the same on both sides".to_owned(),
        NoResult::Exact { .. } => {
            "the metric is declared deterministic, so the difference is exact".to_owned()
        }
        NoResult::Undefined { why } => why.to_string(),
    }
}
