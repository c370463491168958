//! Two groups whose shape or sizes make Welch's t say more than the data do: the permutation test stands beside it.

use crate::compare::data::sample::Stratum;
use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::word::Word;
use fairtrial_model::{Direction, Method};
use fairtrial_stats::permutation::{Studentised, studentised};

/// The size of the smaller group from which on Welch's t needs no other test beside it.
const LARGE: usize = 200;
/// Arrangements that may be beyond the verdict on each side, below which the test is too coarse to be asked.
const LEAST_BEYOND: f64 = 8.0;

/// The permutation test of what the word rules out, where it does not rule that out.
pub(crate) fn find(case: &Case, word: Word, alpha: f64) -> Option<Objection> {
    let flat = case.sample.flat().filter(|_| !case.sample.paired)?;
    let by_t = matches!(case.method, Method::T | Method::LogRatio);
    let (control, candidate) = case.sample.sizes();
    let fine = 0.5 * alpha * Studentised::looked_at(control, candidate) >= LEAST_BEYOND;
    let large = control.min(candidate) > LARGE;
    if !by_t || !fine || large || case.is_exact() || case.sample.is_constant() {
        return None;
    }
    let edges = excluded(case, word);
    let p = edges.into_iter().map(|edge| p_against(flat, edge));
    let p = p
        .collect::<Option<Vec<f64>>>()?
        .into_iter()
        .reduce(f64::max)?;
    (p > alpha).then(|| Objection::caps(ObjectionKind::LabelsDisagree { p, needed: alpha }))
}

/// The differences that a word says the truth is not.
fn excluded(case: &Case, word: Word) -> Vec<f64> {
    let rule = case.rule();
    let (to_clear, margin) = (rule.to_clear(), rule.margin);
    let down = rule.direction == Some(Direction::Down);
    let (above, below) = (to_clear.above, -to_clear.below);
    match (word, margin) {
        (Word::Improved, _) => vec![if down { below } else { above }],
        (Word::Regressed, _) => vec![if down { above } else { below }],
        (Word::Equivalent, Some(margin)) => vec![margin.above, -margin.below],
        (Word::NotWorse, Some(margin)) => {
            vec![if down { margin.above } else { -margin.below }]
        }
        _ => Vec::new(),
    }
}

fn p_against(flat: &Stratum, edge: f64) -> Option<f64> {
    if !edge.is_finite() {
        return Some(0.0);
    }
    let moved: Vec<f64> = flat.candidate.iter().map(|value| value - edge).collect();
    let test = studentised(&flat.control, &moved, Studentised::TWO_SIDED).ok()?;
    Some(test.p)
}
