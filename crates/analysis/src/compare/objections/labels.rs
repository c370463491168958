//! Two groups whose shape or sizes make Welch's t or a bootstrap say more than the data do: the permutation test stands
//! beside it.

use crate::compare::data::sample::Stratum;
use crate::compare::method::choose::Case;
use crate::compare::objections::excluded::excluded;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::word::Word;
use fairtrial_model::Method;
use fairtrial_stats::permutation::{Studentised, studentised};

/// The size of the smaller group from which on they need no other test beside it.
const LARGE: usize = 200;
/// Arrangements that may be beyond the verdict on each side, below which the test is too coarse to be asked.
const LEAST_BEYOND: f64 = 8.0;

/// The permutation test of what the word rules out, where it does not rule that out.
pub(crate) fn find(case: &Case, word: Word, alpha: f64) -> Option<Objection> {
    let flat = case.sample.flat().filter(|_| !case.sample.paired)?;
    let of_means = matches!(
        case.method,
        Method::T | Method::LogRatio | Method::Percentile | Method::Bca
    );
    let (control, candidate) = case.sample.sizes();
    let fine = 0.5 * alpha * Studentised::looked_at(control, candidate) >= LEAST_BEYOND;
    let large = control.min(candidate) > LARGE;
    if !of_means || !fine || large || case.is_exact() || case.sample.is_constant() {
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

fn p_against(flat: &Stratum, edge: f64) -> Option<f64> {
    let moved: Vec<f64> = flat.candidate.iter().map(|value| value - edge).collect();
    let test = studentised(&flat.control, &moved, Studentised::TWO_SIDED).ok()?;
    Some(test.p)
}
