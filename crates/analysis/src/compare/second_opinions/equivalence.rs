//! The p value of "not alike": two one-sided tests (TOST) against the edges of the margin, by the method of the verdict.

use crate::compare::data::sample::Sample;
use crate::compare::method::choose::Case;
use fairtrial_model::Method;

/// The larger of the two one-sided p values: small where both a loss and a gain as large as the margin are ruled out. The
/// verdict goes by the two-sided interval, which is stricter.
pub(crate) fn tost(case: &Case, alpha: f64) -> Option<f64> {
    let margin = case.rule().margin?;
    let fits = matches!(case.method, Method::T | Method::LogRatio | Method::SignFlip);
    (fits && !case.is_exact()).then_some(())?;
    let from_below = beyond(case, -margin.below, alpha)?;
    let from_above = 1.0 - beyond(case, margin.above, alpha)?;
    Some(from_below.max(from_above).clamp(0.0, 1.0))
}

/// The chance of a mean difference at least this far above an edge, if the truth were there. No edge is infinitely far.
fn beyond(case: &Case, edge: f64, alpha: f64) -> Option<f64> {
    if edge.is_infinite() {
        return Some(if edge < 0.0 { 0.0 } else { 1.0 });
    }
    let found = case.answer(&moved(&case.sample, edge), alpha).ok()?;
    let p = 0.5 * found.p?;
    Some(if found.value > 0.0 { p } else { 1.0 - p })
}

/// The sample as it would be if the candidate were this much less.
fn moved(sample: &Sample, edge: f64) -> Sample {
    let mut moved = sample.clone();
    for stratum in &mut moved.strata {
        for value in &mut stratum.candidate {
            *value -= edge;
        }
    }
    moved
}
