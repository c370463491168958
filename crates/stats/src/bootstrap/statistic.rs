//! The statistics a bootstrap can be asked for: named ones with what is known about them, and any closure.

use super::selection::{interquartile_mean, quantile_type7};
use crate::{Outcome, Undefined};

/// A number computed from one sample.
#[derive(Clone, Copy)]
pub enum Statistic<'a> {
    /// The arithmetic mean.
    Mean,
    /// The median.
    Median,
    /// The type-7 quantile at this probability.
    Quantile(f64),
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The standard deviation with n - 1.
    Sd,
    /// The mean of the middle half.
    Iqm,
    /// Anything else: a function of the resampled values, with the name a report shows. NaN means "undefined here".
    Custom {
        /// The name.
        name: &'a str,
        /// The function.
        function: &'a (dyn Fn(&[f64]) -> f64 + Sync),
    },
}

impl Statistic<'_> {
    /// The name a report shows.
    pub fn name(&self) -> String {
        match self {
            Self::Mean => "mean".into(),
            Self::Median => "median".into(),
            Self::Quantile(p) => format!("quantile {p}"),
            Self::Min => "minimum".into(),
            Self::Max => "maximum".into(),
            Self::Sd => "standard deviation".into(),
            Self::Iqm => "interquartile mean".into(),
            Self::Custom { name, .. } => (*name).into(),
        }
    }

    /// Refuses a quantile outside [0, 1].
    pub(crate) fn checked(&self) -> Outcome<()> {
        match self {
            Self::Quantile(p) if !(0.0..=1.0).contains(p) => Err(Undefined::BadArgument {
                name: "p".into(),
                value: *p,
                expected: "between 0 and 1".into(),
            }),
            _ => Ok(()),
        }
    }

    /// Whether the jackknife says anything about it: BCa is wrong for single order statistics.
    pub(crate) fn is_smooth(&self) -> bool {
        !matches!(
            self,
            Self::Median | Self::Quantile(_) | Self::Min | Self::Max
        )
    }

    /// The value on a sample that is not empty; may reorder it.
    pub(crate) fn evaluate(&self, sample: &mut [f64]) -> f64 {
        match self {
            Self::Mean => mean(sample),
            Self::Median => quantile_type7(sample, 0.5),
            Self::Quantile(p) => quantile_type7(sample, *p),
            Self::Min => sample.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Max => sample.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Sd => sample_variance(sample).sqrt(),
            Self::Iqm => interquartile_mean(sample),
            Self::Custom { function, .. } => function(sample),
        }
    }
}

pub(crate) fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

/// The variance with n - 1 (NaN for one value, where it is undefined).
pub(crate) fn sample_variance(sample: &[f64]) -> f64 {
    let center = mean(sample);
    let squares: f64 = sample.iter().map(|x| (x - center).powi(2)).sum();
    squares / (sample.len() as f64 - 1.0)
}

/// Whether the two samples of a comparison belong together by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design {
    /// Value i of both arms shares its seed or task; pairs are resampled together.
    Paired,
    /// Two independent samples, resampled on their own.
    Unpaired,
}

/// A number computed from a control and a candidate sample.
#[derive(Clone, Copy)]
pub enum Contrast<'a> {
    /// Mean of the candidate minus mean of the control.
    MeanDifference,
    /// Mean of the candidate over mean of the control.
    MeanRatio,
    /// Interquartile mean of the candidate minus that of the control.
    IqmDifference,
    /// Anything else, called with (control, candidate).
    Custom {
        /// The name.
        name: &'a str,
        /// The function.
        function: &'a (dyn Fn(&[f64], &[f64]) -> f64 + Sync),
    },
}

impl Contrast<'_> {
    /// The name a report shows.
    pub fn name(&self) -> String {
        match self {
            Self::MeanDifference => "difference of means".into(),
            Self::MeanRatio => "ratio of means".into(),
            Self::IqmDifference => "difference of interquartile means".into(),
            Self::Custom { name, .. } => (*name).into(),
        }
    }

    /// The value on two samples that are not empty; may reorder them.
    pub(crate) fn evaluate(&self, control: &mut [f64], candidate: &mut [f64]) -> f64 {
        match self {
            Self::MeanDifference => mean(candidate) - mean(control),
            Self::MeanRatio => mean(candidate) / mean(control),
            Self::IqmDifference => interquartile_mean(candidate) - interquartile_mean(control),
            Self::Custom { function, .. } => function(control, candidate),
        }
    }
}
