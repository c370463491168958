//! Why a spec has no plan.

use fairtrial_spec::FilterError;

/// Trials of the largest plan: as many as a journal believes, and no more memory than a machine has.
pub(crate) const MOST_TRIALS: u128 = 1 << 26;

/// Why a spec has no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// More trials than a plan can number.
    #[error("the spec expands to {0} trials; a plan holds at most {max}", max = MOST_TRIALS)]
    TooMany(u128),
    /// The filter is not one for this plan.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The filter names a parameter that no trial has.
    #[error("no trial has a parameter `{name}`; there are {known}")]
    UnknownParameter {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Nothing is left.
    #[error("no trial matches `{filter}`; there are {known}")]
    NothingSelected {
        /// What was asked for.
        filter: String,
        /// The tasks and arms that there are.
        known: String,
    },
    /// The constraints leave nothing.
    #[error("no combination of the parameters satisfies the constraints")]
    NothingAllowed,
}
