//! Everything a report shows about one sample, at once.

use serde::Serialize;

use crate::sample::{self, representable};
use crate::{Dropped, Explain, Outcome};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

use super::location::geometric_mean;
use super::moments::{Moments, excess_kurtosis, skewness};
use super::quantile::{QuantileRule, median_of_sorted, quantile_sorted, sorted};
use super::spread::mad;

/// A description of one sample. A quantity that this sample does not have is absent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Finite values described.
    pub n: usize,
    /// Values left out because they are not finite.
    pub dropped: Option<Dropped>,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation; from two values on.
    pub sd: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Lower quartile (type 7).
    pub q25: f64,
    /// Median.
    pub median: f64,
    /// Upper quartile (type 7).
    pub q75: f64,
    /// Largest value.
    pub max: f64,
    /// Median absolute deviation.
    pub mad: f64,
    /// Geometric mean, where all values are above zero.
    pub geometric_mean: Option<f64>,
    /// Biased skewness, where the sample varies.
    pub skewness: Option<f64>,
    /// Biased excess kurtosis, where the sample varies.
    pub excess_kurtosis: Option<f64>,
}

/// Describes the finite values of a sample; the others are counted in `dropped`.
pub fn describe(xs: &[f64]) -> Outcome<Summary> {
    let (xs, dropped) = sample::keep_finite(xs);
    sample::finite("the sample", &xs)?;
    let ascending = sorted(&xs);
    let moments = Moments::of(&xs);
    let quartile = |p| {
        representable(
            "a quartile",
            quantile_sorted(&ascending, p, QuantileRule::Linear),
        )
    };
    Ok(Summary {
        n: xs.len(),
        dropped,
        mean: representable("the mean", moments.mean)?,
        sd: (xs.len() > 1)
            .then(|| moments.sd())
            .filter(|sd| sd.is_finite()),
        min: ascending[0],
        q25: quartile(0.25)?,
        median: median_of_sorted(&ascending),
        q75: quartile(0.75)?,
        max: ascending[xs.len() - 1],
        mad: mad(&xs)?,
        geometric_mean: geometric_mean(&xs).ok(),
        skewness: skewness(&xs).ok(),
        excess_kurtosis: excess_kurtosis(&xs).ok(),
    })
}

impl Explain for Summary {
    fn reading(&self) -> String {
        let sd = self
            .sd
            .map_or(String::new(), |sd| format!(" (sd {})", short(sd)));
        let left_out = self.dropped.as_ref().map_or(String::new(), |d| {
            format!(", {} left out ({})", d.count, d.why)
        });
        format!(
            "{}{left_out}: mean {}{sd}, median {}, from {} to {}.",
            counted(self.n, "value"),
            short(self.mean),
            short(self.median),
            short(self.min),
            short(self.max)
        )
    }
}
