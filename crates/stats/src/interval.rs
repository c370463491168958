//! An interval, and how it reads.

use serde::Serialize;

use crate::level::Level;
use crate::sample;
use crate::undefined::Outcome;
use fairtrial_text::significant::short;

/// The values that the data do not rule out. An end that a one-sided level leaves open is infinite (`null` in JSON).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How sure, and on which side.
    pub level: Level,
}

impl Interval {
    /// The interval of a positive mean by the standard error of its logarithm (`se / mean`, delta method): the same ends as
    /// `interval` where it is short, and never below zero. For a mean above zero.
    #[must_use]
    pub fn on_log_scale(mean: f64, interval: Self) -> Self {
        let end = |end: f64| mean * ((end - mean) / mean).exp();
        Self {
            low: end(interval.low),
            high: end(interval.high),
            ..interval
        }
    }

    /// `centre ± quantile(tail) · se`, with the ends that the level asks for.
    pub(crate) fn around(
        centre: f64,
        se: f64,
        level: Level,
        quantile: impl Fn(f64) -> f64,
    ) -> Self {
        let low = level
            .lower_tail()
            .map_or(f64::NEG_INFINITY, |tail| centre - quantile(tail) * se);
        let high = level
            .upper_tail()
            .map_or(f64::INFINITY, |tail| centre + quantile(tail) * se);
        Self { low, high, level }
    }

    /// Passes the interval on, unless an end that should be a number is none.
    pub(crate) fn representable(self) -> Outcome<Self> {
        if self.level.lower_tail().is_some() {
            sample::representable("the interval's lower end", self.low)?;
        }
        if self.level.upper_tail().is_some() {
            sample::representable("the interval's upper end", self.high)?;
        }
        Ok(self)
    }

    /// The same interval after an increasing change of scale.
    pub(crate) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let ends = |x: f64| if x.is_infinite() { x } else { f(x) };
        Self {
            low: ends(self.low),
            high: ends(self.high),
            level: self.level,
        }
    }

    /// Whether `x` lies inside, ends included.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// "95 % interval 1.2 to 3.4".
    pub fn words(&self) -> String {
        let name = self.level.words();
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => format!("{name} {} to {}", short(self.low), short(self.high)),
            (true, false) => format!("{name} {}", short(self.low)),
            (false, true) => format!("{name} {}", short(self.high)),
            (false, false) => format!("{name} without bounds"),
        }
    }
}
