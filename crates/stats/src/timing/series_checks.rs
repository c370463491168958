//! Checks on one process' iterations: autocorrelation.

use serde::Serialize;

use crate::descriptive::{Moments, sum};
use crate::sample::{self, representable};
use crate::{Explain, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

/// How much one iteration tells about the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Autocorrelation {
    /// What was computed.
    pub method: &'static str,
    /// Iterations.
    pub n: usize,
    /// Correlation of neighbours.
    pub lag1: f64,
    /// How many independent iterations these are worth; never more than there are.
    pub effective_n: f64,
    /// Above 0.2 the iterations must not be treated as independent.
    pub notable: bool,
}

/// Lag-1 autocorrelation of measurements in time order.
pub fn autocorrelation(xs: &[f64]) -> Outcome<Autocorrelation> {
    sample::at_least("autocorrelation", "the iterations", xs, 3)?;
    let moments = Moments::of(xs);
    if moments.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the iterations".into(),
            value: moments.mean,
        });
    }
    let products = xs
        .windows(2)
        .map(|w| (w[0] - moments.mean) * (w[1] - moments.mean));
    let lag1 =
        representable("the autocorrelation", sum(products) / moments.squares)?.clamp(-1.0, 1.0);
    let worth = (1.0 - lag1) / (1.0 + lag1);
    Ok(Autocorrelation {
        method: "lag-1 autocorrelation",
        n: xs.len(),
        lag1,
        effective_n: (moments.n * worth.min(1.0)).max(1.0),
        notable: lag1 > 0.2,
    })
}

impl Explain for Autocorrelation {
    fn reading(&self) -> String {
        let n = counted(self.n, "iteration");
        if self.notable {
            format!(
                "{n} in a row resemble each other ({}): they are worth about {}.",
                short(self.lag1),
                short(self.effective_n)
            )
        } else {
            format!(
                "{n} in a row show no notable autocorrelation ({}).",
                short(self.lag1)
            )
        }
    }
}
