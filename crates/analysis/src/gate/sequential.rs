//! The gate of a run that stopped by looking: the answer of each arm is held against its margin by the repeated
//! interval, and failures and broken machines are judged as in every gate.

use super::answer::{Gate, GateLine, GateWord, Held, LineReason, SequentialReason};
use super::judge::{GateOptions, concluded, infra};
use crate::compare::comparison::compare;
use crate::compare::data::side::Inputs;
use crate::compare::objections::objection::Objection;
use crate::compare::options::CompareOptions;
use crate::compare::result::{Comparison, Contrast};
use crate::compare::verdict::Verdict;
use crate::compare::word::Word;
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use crate::sequential::Stop;
use crate::sequential::trajectory::{ArmAnswer, Trajectory};

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
    let (word, reason) = if let Some(verdict) = contrast.and_then(held_back) {
        let reason = LineReason::Verdict {
            verdict,
            scale: None,
            has_margin: true,
        };
        (GateWord::Inconclusive, reason)
    } else {
        let (word, reason) = judged(trajectory, answer);
        (word, LineReason::Sequential(reason))
    };
    GateLine {
        sides: format!("{} against {}", answer.arm, trajectory.control),
        metric: trajectory.metric.clone(),
        word,
        reason,
    }
}

/// The verdict of a contrast of which too little counts.
fn held_back(contrast: &Contrast) -> Option<Verdict> {
    let held_back = contrast.objections.iter().any(Objection::holds_back);
    let metric = contrast.metrics.first().filter(|_| held_back)?;
    Some(metric.verdict.clone())
}

/// The run's answer, and where that leaves it open what the repeated interval says against the margin: only what is
/// surely beyond it blocks.
fn judged(trajectory: &Trajectory, answer: &ArmAnswer) -> (GateWord, SequentialReason) {
    let open = || {
        let why = answer.reason.clone();
        (GateWord::Inconclusive, SequentialReason::Open { why })
    };
    let pairs = answer.pairs;
    let Some(stop) = answer.stop else {
        return open();
    };
    if stop == Stop::Identical {
        return (GateWord::Equivalent, SequentialReason::Identical { pairs });
    }
    let look = trajectory.look(&answer.arm, pairs);
    let Some(look) = look.filter(|look| look.has_interval()) else {
        return open();
    };
    let at_a_gate = &look.at_a_gate;
    let read = |verdict: &Verdict| Held::Verdict {
        verdict: verdict.clone(),
        scale: trajectory.scale,
    };
    // What the run itself doubts has no answer here; of what it leaves open the gate has its own doubts.
    let (word, held) = match (stop, at_a_gate.word) {
        (Stop::Improved, Word::Improved) => (GateWord::Improved, read(at_a_gate)),
        (Stop::Improved, _) => (GateWord::Improved, read(&look.verdict)),
        (Stop::Equivalent, _) => (GateWord::Equivalent, read(&look.verdict)),
        _ if at_a_gate.is_held_back() => (GateWord::Inconclusive, read(at_a_gate)),
        (Stop::Regressed, Word::Regressed) => (GateWord::Regressed, read(at_a_gate)),
        (Stop::Regressed, _) => (GateWord::Inconclusive, Held::NotBeyondMargin),
        (Stop::Different, _) => (GateWord::Inconclusive, Held::NoDirection),
        (_, Word::NotWorse) => (GateWord::Equivalent, read(at_a_gate)),
        _ => return open(),
    };
    (word, SequentialReason::Said { stop, pairs, held })
}
