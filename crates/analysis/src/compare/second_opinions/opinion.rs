//! What other methods say, beside a verdict.

use crate::compare::second_opinions::leave_one_out::LeaveOneOut;
use crate::compare::second_opinions::suite::SuiteOpinion;
use serde::Serialize;

/// What stands beside a verdict. What does not fit the data is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SecondOpinions {
    /// Standardised effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standardised: Option<Standardised>,
    /// Correlation of the sides over the pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation: Option<f64>,
    /// Variance of the difference over what unpaired runs would have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_ratio: Option<f64>,
    /// The distribution-free test of the pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign_flip: Option<SignFlipOpinion>,
    /// The p value of two one-sided tests (TOST) against the margin, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tost_p: Option<f64>,
    /// The t test of the pairs, where another method decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_p: Option<f64>,
    /// The Hodges-Lehmann shift, on the scale of the verdict (a ratio on the ratio scale).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hodges_lehmann: Option<f64>,
    /// Chance that a run of the candidate is larger than one of the control (unpaired).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superiority: Option<f64>,
    /// The Mann-Whitney p value (unpaired).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mann_whitney_p: Option<f64>,
    /// The smallest true change that this many units would find.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable: Option<Detectable>,
    /// The estimate with each unit left out in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leave_one_out: Option<LeaveOneOut>,
    /// The tasks in a few numbers, where there are several that are averaged (primary metric only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite: Option<SuiteOpinion>,
    /// Skewness of the differences (paired), or the larger one of the sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skewness: Option<f64>,
}

/// Standardised effects with Hedges' correction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Standardised {
    /// In standard deviations of the differences (paired).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g_z: Option<f64>,
    /// In average standard deviations of the sides (paired), or pooled ones (unpaired).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub g: Option<f64>,
}

/// The sign-flip test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SignFlipOpinion {
    /// Its p value.
    pub p: f64,
    /// Whether all patterns were counted.
    pub exact: bool,
    /// The smallest p that this many pairs can give.
    pub smallest_p: f64,
}

/// What could have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Detectable {
    /// The change in the metric's unit.
    pub absolute: f64,
    /// The same as a share of the control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// How often it would be found.
    pub power: f64,
}
