//! The gate of a run that stopped by looking: the answer of each arm is held against its margin by the repeated
//! interval, and failures and broken machines are judged as in every gate.

use super::{Gate, GateLine, GateOptions, GateWord, concluded, infra, word};
use crate::compare::{Comparison, Contrast, Rule};
use crate::dataset::Dataset;
use crate::sequential::{ArmAnswer, ArmLook, Trajectory};
use crate::{AnalysisError, CompareOptions, Inputs, compare};

/// Asks the gate about a run that stopped by looking.
pub fn gate_sequential(
    trajectory: Trajectory,
    data: &Dataset,
    options: &GateOptions,
) -> Result<Gate, AnalysisError> {
    // Only for its failures and for who took part: an interval that looks once would be too narrow here.
    let comparison = compare(
        Inputs::Arms(data),
        &CompareOptions {
            metrics: vec![trajectory.metric.clone()],
            alpha: trajectory.alpha,
            ..options.compare.clone()
        },
    )?;
    let infra = infra(&comparison, std::slice::from_ref(data));
    let lines: Vec<GateLine> = trajectory
        .answers
        .iter()
        .map(|answer| line(&trajectory, answer, &comparison))
        .collect();
    // Which side of a broken pair failed has no part in when a run stops, so that failures need no look of their own.
    Ok(Gate {
        comparison: None,
        sequential: Some(trajectory),
        ..concluded(lines, infra, comparison, options)
    })
}

fn line(trajectory: &Trajectory, answer: &ArmAnswer, comparison: &Comparison) -> GateLine {
    let is_its = |contrast: &&Contrast| contrast.candidate.arm.as_ref() == Some(&answer.arm);
    let contrast = comparison.contrasts.iter().find(is_its);
    let withheld = contrast.and_then(|contrast| contrast.withheld.clone());
    let (word, reason) = match withheld {
        Some(why) => (GateWord::Inconclusive, why),
        None => judged(trajectory, answer),
    };
    GateLine {
        sides: format!("{} against {}", answer.arm, trajectory.control),
        metric: trajectory.metric.clone(),
        word,
        reason,
    }
}

/// What the repeated interval of the arm's last word says against its margin: only what is surely beyond it blocks.
fn judged(trajectory: &Trajectory, answer: &ArmAnswer) -> (GateWord, String) {
    let open = || {
        let reason = trajectory.reason.clone();
        let reason = reason.unwrap_or_else(|| "not decided yet".to_owned());
        (GateWord::Inconclusive, reason)
    };
    let Some(stop) = answer.stop else {
        return open();
    };
    let Some(ArmLook {
        result: Some(result),
        margin,
        ..
    }) = trajectory.look(&answer.arm, answer.pairs)
    else {
        return open();
    };
    let rule = Rule {
        direction: trajectory.direction,
        margin: *margin,
        beyond_margin: true,
    };
    let word = word(rule.word(&result.interval, None));
    let after = format!("after {} pairs", answer.pairs);
    let reason = match word {
        GateWord::Inconclusive if stop.is_verdict() => {
            format!(
                "{} {after}, but not surely by more than the margin",
                stop.word()
            )
        }
        GateWord::Inconclusive => return open(),
        _ => format!("{} {after}", word.text()),
    };
    (word, reason)
}
