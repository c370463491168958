//! Spread: interquartile range, median absolute deviation, and the coefficient of variation with its interval.

use serde::Serialize;

use crate::dist::chi_square;
use crate::sample::{self, representable};
use crate::{Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

use super::moments::Moments;
use super::quantile::{median_of_sorted, sorted};

/// The median absolute deviation from the median, not rescaled. Times 1.4826 it estimates the sd of normal data.
pub fn mad(xs: &[f64]) -> Outcome<f64> {
    sample::finite("the sample", xs)?;
    let centre = median_of_sorted(&sorted(xs));
    let deviations: Vec<f64> = xs.iter().map(|x| (x - centre).abs()).collect();
    representable(
        "the median absolute deviation",
        median_of_sorted(&sorted(&deviations)),
    )
}

/// The standard deviation as a share of the mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoefficientOfVariation {
    /// How it and its interval were computed.
    pub method: &'static str,
    /// Observations.
    pub n: usize,
    /// |sd / mean|.
    pub value: f64,
    /// Its interval under normal data; an upper end that the data do not bound is infinite.
    pub interval: Interval,
    /// Above 0.33 the interval's approximation is known to be rough.
    pub interval_is_rough: bool,
}

/// The coefficient of variation with Vangel's (1996) modified McKay interval.
pub fn coefficient_of_variation(xs: &[f64], level: Level) -> Outcome<CoefficientOfVariation> {
    let level = level.checked()?;
    sample::at_least("the coefficient of variation", "the sample", xs, 2)?;
    let moments = Moments::of(xs);
    if moments.mean.abs() <= 8.0 * f64::EPSILON * moments.max_abs {
        return Err(Undefined::NoSolution(
            "the mean is 0, so that the spread has nothing to be a share of".into(),
        ));
    }
    let value = representable(
        "the coefficient of variation",
        (moments.sd() / moments.mean).abs(),
    )?;
    // A small chi-square stands for a large spread: the upper tail gives the lower end.
    let end = |tail: Option<f64>, open: f64, upper: bool| {
        tail.map_or(open, |t| {
            mckay_end(value, moments.n, if upper { t } else { 1.0 - t })
        })
    };
    let interval = Interval {
        low: end(level.lower_tail(), 0.0, false),
        high: end(level.upper_tail(), f64::INFINITY, true),
        level,
    };
    Ok(CoefficientOfVariation {
        method: "sd / mean, modified McKay interval",
        n: xs.len(),
        value,
        interval,
        interval_is_rough: value > 0.33,
    })
}

fn mckay_end(cv: f64, n: f64, p: f64) -> f64 {
    let u = chi_square::quantile(p, n - 1.0);
    let inside = ((u + 2.0) / n - 1.0) * cv * cv + u / (n - 1.0);
    if inside > 0.0 {
        cv / inside.sqrt()
    } else {
        f64::INFINITY
    }
}

impl Explain for CoefficientOfVariation {
    fn reading(&self) -> String {
        let values = counted(self.n, "value");
        let rough = if self.interval_is_rough {
            "; the interval is rough for a spread this large"
        } else {
            ""
        };
        format!(
            "One run differs from the mean by about {} % ({}, {values}{rough}).",
            short(100.0 * self.value),
            self.interval.map(|x| 100.0 * x).words(),
        )
    }
}
