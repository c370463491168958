//! The gate of a run that stopped by looking: the answer of each arm is held against its margin by the repeated
//! interval, and failures and broken machines are judged as in every gate.

use super::{Gate, GateLine, GateOptions, GateWord, concluded, infra};
use crate::compare::comparison::compare;
use crate::compare::data::sides::Inputs;
use crate::compare::method::kind::Scale;
use crate::compare::options::CompareOptions;
use crate::compare::result::Comparison;
use crate::compare::result::Contrast;
use crate::compare::verdict::Word;
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use crate::sequential::{ArmAnswer, ArmLook, Held, Stop, Trajectory};

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
        ..concluded(lines, infra, comparison, options).unless_lost(std::slice::from_ref(data))
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

/// The run's answer, and where that leaves it open what the repeated interval says against the margin: only what is
/// surely beyond it blocks.
fn judged(trajectory: &Trajectory, answer: &ArmAnswer) -> (GateWord, String) {
    let open = || {
        let reason = answer.reason.clone();
        let reason = reason.unwrap_or_else(|| "not decided yet".to_owned());
        (GateWord::Inconclusive, reason)
    };
    let Some(stop) = answer.stop else {
        return open();
    };
    if stop == Stop::Identical {
        let pairs = answer.pairs;
        let reason = format!("identical: every value of {pairs} pairs is the same on both sides");
        return (GateWord::Equivalent, reason);
    }
    let Some((held, look)) = trajectory
        .look(&answer.arm, answer.pairs)
        .and_then(|look| Some((look.held.as_ref()?, look)))
    else {
        return open();
    };
    let said = if stop.is_verdict() {
        format!("{} after {} pairs", stop.word(), answer.pairs)
    } else {
        format!("undecided after {} pairs", answer.pairs)
    };
    // What the run itself doubts has no answer here; of what it leaves open the gate has its own doubts.
    let (word, why) = match (stop, held) {
        (Stop::Improved, held) => (
            GateWord::Improved,
            format!(": {}", beyond(trajectory, look, held)),
        ),
        (Stop::Equivalent, _) => (
            GateWord::Equivalent,
            ": the whole interval lies inside the margin".to_owned(),
        ),
        (
            _,
            Held {
                withheld: Some(why),
                ..
            },
        ) => (GateWord::Inconclusive, format!(", but {why}")),
        (Stop::Regressed, held) if held.word == Word::Regressed => (
            GateWord::Regressed,
            format!(": {}", beyond(trajectory, look, held)),
        ),
        (Stop::Regressed, _) => (
            GateWord::Inconclusive,
            ", but not surely by more than the margin".to_owned(),
        ),
        (Stop::Different, _) => (
            GateWord::Inconclusive,
            ", but which way is better is not declared".to_owned(),
        ),
        (_, held) if held.word == Word::NotWorse => (
            GateWord::Equivalent,
            ", but the interval rules out a loss as large as the margin".to_owned(),
        ),
        _ => return open(),
    };
    (word, said + &why)
}

/// What a sure difference clears.
fn beyond(trajectory: &Trajectory, look: &ArmLook, held: &Held) -> &'static str {
    let cleared = matches!(held.word, Word::Improved | Word::Regressed);
    match trajectory.scale {
        _ if cleared && look.margin.is_some() => "the whole interval lies beyond the margin",
        Scale::Ratio => "the interval leaves a ratio of 1 outside",
        Scale::Difference => "the interval leaves 0 outside",
    }
}
