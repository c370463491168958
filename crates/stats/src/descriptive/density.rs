//! The shape of a sample: how dense its values lie, smoothed by a Gaussian kernel.

use super::moments::Moments;
use super::quantile::{QuantileRule, quantile_sorted, sorted};
use crate::{Outcome, Undefined, sample};

/// A normal interquartile range in standard deviations.
const NORMAL_IQR: f64 = 1.34;
/// Kernels further away than this many bandwidths add nothing.
const REACH: f64 = 8.0;

/// A kernel density estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    ascending: Vec<f64>,
    bandwidth: f64,
}

impl Density {
    /// Smooths a sample with the bandwidth of Silverman (1986, equation 3.31), which R calls `nrd0`.
    pub fn of(xs: &[f64]) -> Outcome<Self> {
        sample::at_least("the density", "the sample", xs, 2)?;
        let ascending = sorted(xs);
        let at = |p: f64| quantile_sorted(&ascending, p, QuantileRule::Linear);
        let (sd, robust) = (Moments::of(xs).sd(), (at(0.75) - at(0.25)) / NORMAL_IQR);
        let spread = if robust > 0.0 { sd.min(robust) } else { sd };
        let bandwidth = 0.9 * spread * (xs.len() as f64).powf(-0.2);
        if !(bandwidth > 0.0 && bandwidth.is_finite()) {
            return Err(Undefined::NoSolution(
                "all values are the same, so that there is no shape".into(),
            ));
        }
        Ok(Self {
            ascending,
            bandwidth,
        })
    }

    /// The standard deviation of the kernel.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// The density at a value.
    pub fn at(&self, x: f64) -> f64 {
        let reach = REACH * self.bandwidth;
        let first = self.ascending.partition_point(|value| *value < x - reach);
        let near = self.ascending[first..]
            .iter()
            .take_while(|value| **value <= x + reach);
        let kernels: f64 = near
            .map(|value| (-0.5 * ((x - value) / self.bandwidth).powi(2)).exp())
            .sum();
        let scale = self.bandwidth * (2.0 * std::f64::consts::PI).sqrt();
        kernels / (scale * self.ascending.len() as f64)
    }
}
