//! Averages that are not the mean: interquartile mean, geometric mean, Harrell-Davis median.

use serde::Serialize;

use crate::dist;
use crate::sample::{self, dropped, representable};
use crate::{Dropped, Explain, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

use super::quantile::sorted;
use super::sum::sum;

/// An interquartile mean: the mean of the middle half.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Iqm {
    /// The value.
    pub value: f64,
    /// How many values there were.
    pub n: usize,
    /// The values cut off at the two ends together.
    pub dropped: Option<Dropped>,
    /// With fewer than 4 values nothing is cut, and this is the plain mean.
    pub is_plain_mean: bool,
}

/// The interquartile mean as rliable and SciPy's `trim_mean(x, 0.25)` have it: `floor(n / 4)` values are cut off at each
/// end, the rest counts in full. Refused for pass/fail scores, where it is 0 below 25 % success and 1 above 75 %.
pub fn iqm(xs: &[f64]) -> Outcome<Iqm> {
    sample::finite("the sample", xs)?;
    if xs.iter().all(|x| *x == 0.0 || *x == 1.0) {
        return Err(Undefined::NoSolution(
            "the interquartile mean says nothing about pass/fail scores: use the mean".into(),
        ));
    }
    let cut = xs.len() / 4;
    let middle = &sorted(xs)[cut..xs.len() - cut];
    let value = representable(
        "the interquartile mean",
        sum(middle.iter().copied()) / middle.len() as f64,
    )?;
    Ok(Iqm {
        value,
        n: xs.len(),
        dropped: dropped(2 * cut, "the lowest and the highest quarter"),
        is_plain_mean: cut == 0,
    })
}

impl Explain for Iqm {
    fn reading(&self) -> String {
        let values = counted(self.n, "value");
        if self.is_plain_mean {
            return format!(
                "The mean of {values} is {} (too few to cut off a quarter at each end).",
                short(self.value)
            );
        }
        format!(
            "The middle half of {values} has the mean {}.",
            short(self.value)
        )
    }
}

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

/// The Harrell-Davis (1982) estimate of a quantile: all order statistics, weighted by a beta distribution. Smoother than
/// the sample quantile, hence less noisy for small samples.
pub fn harrell_davis(xs: &[f64], p: f64) -> Outcome<f64> {
    sample::finite("the sample", xs)?;
    sample::open_chance("p", p)?;
    let n = xs.len() as f64;
    let (a, b) = ((n + 1.0) * p, (n + 1.0) * (1.0 - p));
    let mut below = 0.0;
    let weighted = sorted(xs).into_iter().enumerate().map(|(i, x)| {
        let share = (i as f64 + 1.0) / n;
        let here = dist::regularized_beta(a, b, share);
        let weight = here - below;
        below = here;
        weight * x
    });
    representable("the Harrell-Davis quantile", sum(weighted))
}
