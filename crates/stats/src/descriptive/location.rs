//! Averages that are not the mean: interquartile mean, geometric mean, Harrell-Davis median.

use crate::sample::{self, representable};
use crate::{Outcome, Undefined};

use super::sum::sum;

/// The geometric mean; needs values above zero.
pub fn geometric_mean(xs: &[f64]) -> Outcome<f64> {
    let logs = logarithms("the geometric mean", xs)?;
    representable(
        "the geometric mean",
        (sum(logs.iter().copied()) / xs.len() as f64).exp(),
    )
}

/// Natural logarithms of a sample that must lie above zero.
pub(crate) fn logarithms(method: &str, xs: &[f64]) -> Outcome<Vec<f64>> {
    sample::finite("the sample", xs)?;
    if let Some(x) = xs.iter().find(|x| **x <= 0.0) {
        return Err(Undefined::BadArgument {
            name: "value".into(),
            value: *x,
            expected: format!("{method} needs every value above 0"),
        });
    }
    Ok(xs.iter().map(|x| x.ln()).collect())
}
