//! What a look judges by, beside the numbers.

use crate::compare::method::choose::SIGN_FLIP_PAIRS;
use fairtrial_model::Method;
use fairtrial_stats::sequential::LookTest;

/// What a look judges by, beside the numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct JudgedBy {
    pub(super) method: Method,
    /// Whether the metric is declared deterministic.
    pub(super) deterministic: bool,
}

impl JudgedBy {
    /// Sign-flips as in a comparison that looks once: from ten pairs on. Also where values are pass or fail, of which t
    /// says too much (6.2 % false answers of 5 %), and where nothing varies, of which it says nothing.
    pub(super) fn test(self, differences: &[f64]) -> LookTest {
        let first = differences.first().copied().unwrap_or(0.0);
        let one_value = differences.iter().all(|difference| *difference == first);
        let whole = |difference: &f64| [-1.0, 0.0, 1.0].contains(difference);
        match self.method {
            Method::T | Method::LogRatio => LookTest::T,
            Method::SignFlip => LookTest::SignFlip,
            Method::Rank if differences.len() >= SIGN_FLIP_PAIRS => LookTest::SignedRank,
            _ if one_value || differences.len() >= SIGN_FLIP_PAIRS => LookTest::SignFlip,
            _ if differences.iter().all(whole) => LookTest::SignFlip,
            _ => LookTest::T,
        }
    }
}
