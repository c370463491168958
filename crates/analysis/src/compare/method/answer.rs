//! What a method says about a sample.

use crate::compare::verdict::Evidence;
use fairtrial_stats::Interval;

/// What a method said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) value: f64,
    pub(crate) interval: Interval,
    pub(crate) p: Option<f64>,
    pub(crate) df: Option<f64>,
    pub(crate) method: String,
}

impl Answer {
    /// What there is to judge.
    pub(crate) fn evidence(&self) -> Evidence {
        Evidence::Interval {
            interval: self.interval,
            p: self.p,
        }
    }
}
