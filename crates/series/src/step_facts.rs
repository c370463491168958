//! What is known of a curve without its values.

use serde::{Deserialize, Serialize};

/// What is known of the steps of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct StepFacts {
    pub(crate) points: usize,
    /// The smallest and the largest finite step.
    pub(crate) range: Option<[f64; 2]>,
    /// Whether each is larger than the one before it.
    pub(crate) ascending: bool,
}

impl StepFacts {
    pub(crate) fn of(steps: &[f64]) -> Self {
        let finite = steps.iter().copied().filter(|step| step.is_finite());
        let least = finite.clone().reduce(f64::min);
        let most = finite.reduce(f64::max);
        Self {
            points: steps.len(),
            range: least.zip(most).map(Into::into),
            ascending: steps.is_sorted_by(|one, next| one < next),
        }
    }
}
