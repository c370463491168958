//! A summary that is fed value by value and merges with others (Welford 1962, Chan et al. 1979).

use serde::Serialize;

use crate::{Outcome, Undefined};

/// Count, extremes, mean and spread of a stream in constant memory. Values that are not finite are counted, not used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Accumulator {
    /// Finite values seen.
    pub count: u64,
    /// NaN and infinite values seen.
    pub not_finite: u64,
    mean: f64,
    squares: f64,
    min: f64,
    max: f64,
}

impl Default for Accumulator {
    fn default() -> Self {
        Self {
            count: 0,
            not_finite: 0,
            mean: 0.0,
            squares: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }
}

impl Accumulator {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in one value.
    pub fn push(&mut self, x: f64) {
        if !x.is_finite() {
            self.not_finite += 1;
            return;
        }
        self.merge(&Self {
            count: 1,
            mean: x,
            min: x,
            max: x,
            ..Self::default()
        });
    }

    /// Takes in what another has seen; the order of merging changes the result by rounding only.
    pub fn merge(&mut self, other: &Self) {
        self.not_finite += other.not_finite;
        if other.count == 0 {
            return;
        }
        let (left, right) = (self.count as f64, other.count as f64);
        let total = left + right;
        let gap = other.mean - self.mean;
        self.mean = if self.count == 0 {
            other.mean
        } else {
            self.mean + gap * (right / total)
        };
        self.squares += other.squares
            + if self.count == 0 {
                0.0
            } else {
                gap * gap * (left * right / total)
            };
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The mean.
    pub fn mean(&self) -> Outcome<f64> {
        self.needs(1, "the mean")?;
        crate::sample::representable("the mean", self.mean)
    }

    /// The sample variance (divisor n - 1).
    pub fn variance(&self) -> Outcome<f64> {
        self.needs(2, "the variance")?;
        crate::sample::representable("the variance", self.squares / (self.count - 1) as f64)
    }

    /// The sample standard deviation.
    pub fn sd(&self) -> Outcome<f64> {
        Ok(self.variance()?.sqrt())
    }

    /// The smallest value.
    pub fn min(&self) -> Outcome<f64> {
        self.needs(1, "the minimum")?;
        Ok(self.min)
    }

    /// The largest value.
    pub fn max(&self) -> Outcome<f64> {
        self.needs(1, "the maximum")?;
        Ok(self.max)
    }

    fn needs(&self, need: u64, method: &str) -> Outcome<()> {
        if self.count == 0 {
            return Err(Undefined::Empty {
                what: "the stream".into(),
            });
        }
        if self.count < need {
            return Err(Undefined::TooFew {
                method: method.into(),
                have: self.count as usize,
                need: need as usize,
            });
        }
        Ok(())
    }
}

impl Extend<f64> for Accumulator {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|x| self.push(x));
    }
}

impl FromIterator<f64> for Accumulator {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut accumulator = Self::new();
        accumulator.extend(values);
        accumulator
    }
}
