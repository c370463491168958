//! One proportion: intervals that are never of zero width, and the exact binomial test.

use serde::Serialize;

use crate::dist::{beta, normal};
use crate::{Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::significant::short;

/// How the interval of a proportion is made. The Wald interval is not offered: it has no width at 0 and at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum ProportionMethod {
    /// Wilson's score interval: covers near its level on average; the default.
    #[default]
    Wilson,
    /// Wilson with continuity correction: covers at least about its level.
    WilsonContinuity,
    /// Clopper-Pearson: never covers less than its level, hence wide.
    ClopperPearson,
    /// Equal-tailed posterior under Jeffreys' prior, with the ends set to 0 and 1 at the edges (Brown, Cai, DasGupta).
    Jeffreys,
    /// Wald around an estimate with z² pseudo-trials, half of them successes.
    AgrestiCoull,
}

impl ProportionMethod {
    /// The name a report shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wilson => "Wilson",
            Self::WilsonContinuity => "Wilson with continuity correction",
            Self::ClopperPearson => "Clopper-Pearson",
            Self::Jeffreys => "Jeffreys",
            Self::AgrestiCoull => "Agresti-Coull",
        }
    }
}

/// Beyond this, counts are no longer exact as floating-point numbers.
pub(crate) const MOST_TRIALS: u64 = 1 << 50;

/// Successes out of trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Proportion {
    /// How many succeeded.
    pub successes: u64,
    /// How many were tried.
    pub trials: u64,
}

impl Proportion {
    /// Refuses no trials, and more successes than trials.
    pub(crate) fn checked(self, what: &str) -> Outcome<Self> {
        if self.trials == 0 {
            return Err(Undefined::Empty { what: what.into() });
        }
        if self.successes > self.trials {
            return Err(Undefined::BadArgument {
                name: "successes".into(),
                value: self.successes as f64,
                expected: format!("at most the {} trials", self.trials),
            });
        }
        if self.trials > MOST_TRIALS {
            return Err(Undefined::BadArgument {
                name: "trials".into(),
                value: self.trials as f64,
                expected: "at most 2^50".into(),
            });
        }
        Ok(self)
    }

    /// The share of successes.
    pub fn share(self) -> f64 {
        self.successes as f64 / self.trials as f64
    }
}

/// A proportion with its interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProportionInterval {
    /// What was computed.
    pub method: ProportionMethod,
    /// The counts.
    pub counts: Proportion,
    /// The share of successes.
    pub estimate: f64,
    /// The interval, inside [0, 1].
    pub interval: Interval,
}

/// The interval of one proportion.
pub fn proportion_interval(
    counts: Proportion,
    method: ProportionMethod,
    level: Level,
) -> Outcome<ProportionInterval> {
    let level = level.checked()?;
    let counts = counts.checked("the trials")?;
    let low = level
        .lower_tail()
        .map_or(0.0, |tail| lower_end(counts, method, tail));
    // The upper end is the mirror image: the lower end of the failures.
    let failures = Proportion {
        successes: counts.trials - counts.successes,
        ..counts
    };
    let high = level
        .upper_tail()
        .map_or(1.0, |tail| 1.0 - lower_end(failures, method, tail));
    Ok(ProportionInterval {
        method,
        counts,
        estimate: counts.share(),
        interval: Interval {
            low: low.clamp(0.0, 1.0),
            high: high.clamp(0.0, 1.0),
            level,
        },
    })
}

fn lower_end(counts: Proportion, method: ProportionMethod, tail: f64) -> f64 {
    let (k, n) = (counts.successes as f64, counts.trials as f64);
    let z = normal::inverse_sf(tail);
    if counts.successes == 0 {
        return 0.0;
    }
    match method {
        ProportionMethod::Wilson => {
            let spread = z * (k / n * (n - k) + z * z / 4.0).sqrt();
            (k + z * z / 2.0 - spread) / (n + z * z)
        }
        ProportionMethod::WilsonContinuity => {
            let p = k / n;
            let inside = z * z - 2.0 - 1.0 / n + 4.0 * p * (n - k + 1.0);
            (2.0 * k + z * z - 1.0 - z * inside.max(0.0).sqrt()) / (2.0 * (n + z * z))
        }
        ProportionMethod::ClopperPearson => beta::quantile(tail, k, n - k + 1.0),
        ProportionMethod::Jeffreys => beta::quantile(tail, k + 0.5, n - k + 0.5),
        ProportionMethod::AgrestiCoull => {
            let total = n + z * z;
            let p = (k + z * z / 2.0) / total;
            p - z * (p * (1.0 - p) / total).sqrt()
        }
    }
}

impl Explain for ProportionInterval {
    fn reading(&self) -> String {
        format!(
            "{} of {} succeeded: {} % ({}, {}).",
            self.counts.successes,
            self.counts.trials,
            short(100.0 * self.estimate),
            self.interval.map(|x| 100.0 * x).words(),
            self.method.name(),
        )
    }
}
