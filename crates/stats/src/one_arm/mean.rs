//! The t interval of a mean: the default for small samples, where the bootstrap covers too little.

use serde::Serialize;

use crate::descriptive::Moments;
use crate::dist::student_t;
use crate::sample::{self, representable};
use crate::{Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// A mean with its t interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanInterval {
    /// What was computed.
    pub method: &'static str,
    /// Observations.
    pub n: usize,
    /// The mean.
    pub mean: f64,
    /// Sample standard deviation.
    pub sd: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// The interval.
    pub interval: Interval,
}

/// The mean of independent observations with its Student t interval.
pub fn mean_interval(xs: &[f64], level: Level) -> Outcome<MeanInterval> {
    let level = level.checked()?;
    sample::at_least("a t interval", "the sample", xs, 2)?;
    let moments = Moments::of(xs);
    if moments.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the sample".into(),
            value: moments.mean,
        });
    }
    let standard_error = representable("the standard error", moments.standard_error())?;
    let df = moments.n - 1.0;
    let interval = Interval::around(moments.mean, standard_error, level, |tail| {
        student_t::inverse_sf(tail, df)
    });
    Ok(MeanInterval {
        method: "Student t interval",
        n: xs.len(),
        mean: moments.mean,
        sd: moments.sd(),
        standard_error,
        df,
        interval: interval.representable()?,
    })
}

impl Explain for MeanInterval {
    fn reading(&self) -> String {
        let warn = if self.n == 2 {
            " Two values say very little about their spread."
        } else {
            ""
        };
        format!(
            "The mean of {} is {} ({}).{warn}",
            counted(self.n, "value"),
            short(self.mean),
            self.interval.words()
        )
    }
}
