//! Mean, variance and the shape moments, by two passes over compensated sums.

use crate::sample::{self, representable};
use crate::{Outcome, Undefined};

use super::sum::sum;

/// Mean and sum of squared deviations of a finite sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    pub(crate) n: f64,
    pub(crate) mean: f64,
    /// What rounding took from the mean; counts when means of a large offset are subtracted.
    rest: f64,
    /// Sum of squared deviations from the mean; infinite or 0 where no number can hold it.
    pub(crate) squares: f64,
    /// Its root, which a number can hold where the values are.
    pub(crate) deviation: f64,
    pub(crate) max_abs: f64,
}

/// Sums of squares within these have all their digits, and so has what is divided by a count.
const SAFE: std::ops::Range<f64> = 1e-280..1e280;

impl Moments {
    /// Of a sample that has been checked to be finite and not empty.
    pub(crate) fn of(xs: &[f64]) -> Self {
        let plain = Self::unscaled(xs);
        let max_abs = plain.max_abs;
        if max_abs == 0.0 || SAFE.contains(&plain.squares) || plain.squares == 0.0 && max_abs > 1.0
        {
            return plain;
        }
        // A power of two takes no digits away.
        let unit = libm::exp2(libm::log2(max_abs).floor());
        let scaled: Vec<f64> = xs.iter().map(|x| x / unit).collect();
        let scaled = Self::unscaled(&scaled);
        let deviation = scaled.deviation * unit;
        Self {
            squares: deviation * deviation,
            deviation,
            ..plain
        }
    }

    fn unscaled(xs: &[f64]) -> Self {
        let n = xs.len() as f64;
        let mean = scaled_mean(xs, n);
        let residue = sum(xs.iter().map(|x| x - mean));
        let raw = sum(xs.iter().map(|x| (x - mean) * (x - mean)));
        // The mean is rounded; what that costs in the squares is known exactly.
        let exact = raw - residue * residue / n;
        let squares = if exact.is_nan() { raw } else { exact.max(0.0) };
        Self {
            n,
            mean,
            rest: if residue.is_finite() {
                residue / n
            } else {
                0.0
            },
            squares,
            deviation: squares.sqrt(),
            max_abs: sample::max_abs(xs),
        }
    }

    /// The difference of two means, with the digits that each mean alone cannot hold.
    pub(crate) fn minus(&self, other: &Self) -> f64 {
        let exact = (self.mean - other.mean) + (self.rest - other.rest);
        if exact.is_nan() {
            self.mean - other.mean
        } else {
            exact
        }
    }

    /// Sample variance (divisor n - 1); 0 for one value.
    pub(crate) fn variance(&self) -> f64 {
        if self.n < 2.0 {
            0.0
        } else {
            self.squares / (self.n - 1.0)
        }
    }

    pub(crate) fn sd(&self) -> f64 {
        if self.n < 2.0 {
            0.0
        } else if SAFE.contains(&self.squares) {
            self.variance().sqrt()
        } else {
            self.deviation / (self.n - 1.0).sqrt()
        }
    }

    pub(crate) fn standard_error(&self) -> f64 {
        if SAFE.contains(&self.squares) {
            (self.variance() / self.n).sqrt()
        } else {
            self.sd() / self.n.sqrt()
        }
    }

    /// Whether the spread is nothing but rounding.
    pub(crate) fn is_constant(&self) -> bool {
        sample::is_constant(self.sd(), self.max_abs)
    }
}

/// The mean, also where the sum would overflow.
fn scaled_mean(xs: &[f64], n: f64) -> f64 {
    let total = sum(xs.iter().copied());
    if total.is_finite() {
        total / n
    } else {
        sum(xs.iter().map(|x| x / n))
    }
}

/// The arithmetic mean.
pub fn mean(xs: &[f64]) -> Outcome<f64> {
    sample::finite("the sample", xs)?;
    representable("the mean", Moments::of(xs).mean)
}

/// The sample variance (divisor n - 1).
pub fn variance(xs: &[f64]) -> Outcome<f64> {
    sample::at_least("the variance", "the sample", xs, 2)?;
    let moments = Moments::of(xs);
    let variance = moments.variance();
    // A spread whose square is too small to be a number is not none.
    let vanished = variance == 0.0 && moments.sd() > 0.0;
    representable("the variance", if vanished { f64::NAN } else { variance })
}

/// The sample standard deviation (divisor n - 1).
pub fn sd(xs: &[f64]) -> Outcome<f64> {
    sample::at_least("the standard deviation", "the sample", xs, 2)?;
    representable("the standard deviation", Moments::of(xs).sd())
}

/// Skewness `m3 / m2^1.5` (the biased g1): 0 for symmetric data, above 1 is strongly skewed to the right.
pub fn skewness(xs: &[f64]) -> Outcome<f64> {
    let (moments, scale) = standardised("the skewness", xs)?;
    let cubes = sum(xs.iter().map(|x| ((x - moments.mean) / scale).powi(3)));
    representable("the skewness", cubes / moments.n)
}

/// Excess kurtosis `m4 / m2^2 - 3` (biased): 0 for normal data, large for heavy tails.
pub fn excess_kurtosis(xs: &[f64]) -> Outcome<f64> {
    let (moments, scale) = standardised("the kurtosis", xs)?;
    let fourths = sum(xs.iter().map(|x| ((x - moments.mean) / scale).powi(4)));
    representable("the kurtosis", fourths / moments.n - 3.0)
}

/// Moments and the biased standard deviation, refusing constant samples.
fn standardised(method: &str, xs: &[f64]) -> Outcome<(Moments, f64)> {
    sample::at_least(method, "the sample", xs, 2)?;
    let moments = Moments::of(xs);
    if moments.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the sample".into(),
            value: moments.mean,
        });
    }
    let scale = representable("the variance", moments.squares / moments.n)?.sqrt();
    Ok((moments, scale))
}
