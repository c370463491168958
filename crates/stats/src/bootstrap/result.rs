//! The result of a bootstrap: the interval, how it was made, and what a reader should know about it.

use serde::Serialize;

use super::plan::Method;
use crate::{Dropped, Explain, Interval, Level};
use fairtrial_text::significant::short;

/// Where the bootstrap distribution came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Resampling {
    /// Drawn with a seed.
    Drawn {
        /// How many.
        resamples: usize,
        /// The seed.
        seed: u64,
    },
    /// From index lists that the caller gave.
    Given {
        /// How many.
        resamples: usize,
    },
    /// All resamples, weighted by their chance: no seed and no noise.
    Exact,
}

/// What a reader should know about an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// Every resample gave the same value; the interval is that point.
    Degenerate,
    /// The bias correction or the acceleration is not defined here; these are percentile ends.
    FellBackToPercentile,
    /// Fewer than 20 values: bootstrap intervals are too short there, a t interval is better.
    SmallSample,
}

/// A bootstrap interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BootstrapInterval {
    /// How the ends were made.
    pub method: Method,
    /// What was estimated.
    pub statistic: String,
    /// The sizes of the samples.
    pub n: Vec<usize>,
    /// The value on the data.
    pub estimate: f64,
    /// The interval.
    pub interval: Interval,
    /// The standard deviation of the bootstrap distribution.
    pub standard_error: f64,
    /// Where the distribution came from.
    pub resampling: Resampling,
    /// z0 of BCa.
    pub bias_correction: Option<f64>,
    /// a of BCa.
    pub acceleration: Option<f64>,
    /// The "bias-corrected" point that the original system reports.
    pub corrected_estimate: Option<f64>,
    /// What a reader should know.
    pub flags: Vec<Flag>,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

/// The ends of an interval and how they came about.
#[derive(Debug, Default)]
pub(super) struct Ends {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) bias_correction: Option<f64>,
    pub(super) acceleration: Option<f64>,
    pub(super) corrected_estimate: Option<f64>,
    pub(super) flags: Vec<Flag>,
}

/// What the interval is about, beside its ends.
pub(super) struct Header {
    pub(super) statistic: String,
    pub(super) n: Vec<usize>,
    pub(super) estimate: f64,
    pub(super) standard_error: f64,
    pub(super) resampling: Resampling,
    pub(super) dropped: Vec<Dropped>,
}

/// Below this size an interval carries [`Flag::SmallSample`].
const SMALL: usize = 20;

impl Header {
    /// Of a distribution with all resamples; its standard error is yet to be found.
    pub(super) fn exact(statistic: &str, n: Vec<usize>, estimate: f64) -> Self {
        Self {
            statistic: statistic.into(),
            n,
            estimate,
            standard_error: 0.0,
            resampling: Resampling::Exact,
            dropped: Vec::new(),
        }
    }

    pub(super) fn with(self, method: Method, level: Level, ends: Ends) -> BootstrapInterval {
        let mut flags = ends.flags;
        if self.n.iter().any(|&n| n < SMALL) {
            flags.push(Flag::SmallSample);
        }
        BootstrapInterval {
            method,
            statistic: self.statistic,
            n: self.n,
            estimate: self.estimate,
            interval: Interval {
                low: ends.low,
                high: ends.high,
                level,
            },
            standard_error: self.standard_error,
            resampling: self.resampling,
            bias_correction: ends.bias_correction,
            acceleration: ends.acceleration,
            corrected_estimate: ends.corrected_estimate,
            flags,
            dropped: self.dropped,
        }
    }
}

impl Explain for BootstrapInterval {
    fn reading(&self) -> String {
        let mut text = format!(
            "The {} is {}; {} ({}, {}).",
            self.statistic,
            short(self.estimate),
            self.interval.words(),
            self.method.name(),
            self.resampling.words()
        );
        for flag in &self.flags {
            text.push(' ');
            text.push_str(flag.words());
        }
        text
    }
}

impl Resampling {
    fn words(self) -> String {
        match self {
            Self::Drawn { resamples, seed } => format!("{resamples} resamples, seed {seed}"),
            Self::Given { resamples } => format!("{resamples} given resamples"),
            Self::Exact => "all possible resamples, no random draws".into(),
        }
    }
}

impl Flag {
    fn words(self) -> &'static str {
        match self {
            Self::Degenerate => {
                "Every resample gave the same value, so the interval is a single point: this says nothing about other data."
            }
            Self::FellBackToPercentile => {
                "The correction of BCa is not defined here; the ends are those of the percentile method."
            }
            Self::SmallSample => {
                "With fewer than 20 values a bootstrap interval is too short; prefer a t interval."
            }
        }
    }
}
