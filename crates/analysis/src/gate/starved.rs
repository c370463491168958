//! A side without enough valid trials decides nothing, and nobody may let it pass: else a benchmark would pass by breaking.

use super::answer::{GateLine, GateReason, GateWord, LineReason, SequentialReason};
use super::sides::sides;
use crate::compare::failures::FailureCount;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::result::{Comparison, Contrast};

/// A side may lose so much of its trials, as of pairs in a comparison.
const MOST_FAILED: f64 = 0.2;

/// Why nothing can be concluded, where a side has too few valid trials. What is surely worse stays so: the answer to a
/// candidate that crashes is that it crashes.
pub(super) fn starved(
    word: GateWord,
    lines: &[GateLine],
    comparison: &Comparison,
) -> Option<Vec<GateReason>> {
    if word == GateWord::Regressed {
        return None;
    }
    let open = |line: &&GateLine| line.word == GateWord::Inconclusive;
    let mut reasons: Vec<GateReason> = Vec::new();
    for contrast in &comparison.contrasts {
        let sides = sides(contrast);
        let of = lines.iter().filter(open);
        let short: Vec<GateReason> = of
            .filter(|line| line.sides == sides && lacks_trials(line, contrast))
            .map(|line| GateReason::Line(line.clone()))
            .collect();
        let failures = &contrast.failures;
        let broken = [failures.control, failures.candidate]
            .iter()
            .any(|side| side.trials == side.failed);
        if broken || !short.is_empty() {
            reasons.extend(short);
            if failures.control.failed + failures.candidate.failed > 0 {
                reasons.push(GateReason::Failing {
                    sides,
                    failures: failures.clone(),
                });
            }
        }
    }
    (!reasons.is_empty()).then_some(reasons)
}

/// Whether a line is open for want of valid trials.
fn lacks_trials(line: &GateLine, contrast: &Contrast) -> bool {
    let failing = |side: FailureCount| side.failed as f64 > MOST_FAILED * side.trials as f64;
    let failing = failing(contrast.failures.control) || failing(contrast.failures.candidate);
    match &line.reason {
        LineReason::Verdict { verdict, .. } => {
            let mut objections = verdict.held_back_by();
            verdict.is_held_back() && (failing || objections.any(about_trials))
        }
        LineReason::Sequential(SequentialReason::Open { .. }) => failing,
        LineReason::Sequential(_) | LineReason::Failures { .. } => false,
    }
}

fn about_trials(objection: &Objection) -> bool {
    matches!(
        objection.kind,
        ObjectionKind::NoValue { .. }
            | ObjectionKind::OneValue
            | ObjectionKind::MissingPairs { .. }
            | ObjectionKind::MissingUnits { .. }
            | ObjectionKind::TooFewCount { .. }
    )
}
