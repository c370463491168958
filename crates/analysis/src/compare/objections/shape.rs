//! The shape of the data is not what the method assumes.

use crate::compare::method::choose::Case;
use crate::compare::method::kind::DataKind;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::second_opinions::opinion::SecondOpinions;
use fairtrial_model::Method;

/// Skewness from which on a log scale is proposed.
const SKEWED: f64 = 1.0;

/// What the other methods make doubtful; `p` is that of the verdict's method.
pub(crate) fn find(
    case: &Case,
    opinions: &SecondOpinions,
    p: Option<f64>,
    alpha: f64,
) -> Vec<Objection> {
    let mut found = Vec::new();
    // The tests of pass/fail assume no shape either.
    if let (Some(test), Some(p)) = (opinions.sign_flip, p)
        && case.method != Method::Proportion
        && test.smallest_p <= alpha
        && (test.p <= alpha) != (p <= alpha)
    {
        found.push(Objection::noted(ObjectionKind::ShapeSensitive {
            sign_flip_p: test.p,
        }));
    }
    if let (Some(t), Some(p)) = (opinions.t_p, p)
        && (t <= alpha) != (p <= alpha)
    {
        found.push(Objection::noted(ObjectionKind::TDisagrees { t_p: t }));
    }
    let skewed = opinions.skewness.is_some_and(|skewness| skewness > SKEWED);
    let unpaired = opinions.superiority.is_some();
    if skewed && unpaired && case.is_positive() && case.kind == DataKind::Scalar {
        found.push(Objection::noted(ObjectionKind::Skewed));
    }
    found
}
