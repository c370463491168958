//! The asymptotic confidence sequence (Waudby-Smith et al. 2021): fine for hundreds of values, and refused below 50,
//! because started at five it rejects a true "no difference" in 8 % of the cases instead of 5 %.

use serde::Serialize;

use crate::descriptive::Moments;
use crate::sample::{at_least, open_chance, positive, representable};
use crate::{Dropped, Explain, Interval, Level, Outcome};

const FEWEST: usize = 50;

/// The half-width of the sequence in standard deviations.
pub fn radius_over_sd(n: usize, rho2: f64, alpha: f64) -> f64 {
    let size = n as f64;
    let r = size * rho2 + 1.0;
    (r / (size * size * rho2) * (r / (alpha * alpha)).ln()).sqrt()
}

/// The sequence after the last value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AsymptoticSequence {
    /// The method.
    pub method: &'static str,
    /// Values so far.
    pub n: usize,
    /// Their mean.
    pub estimate: f64,
    /// The interval.
    pub interval: Interval,
    /// What was left out.
    pub dropped: Vec<Dropped>,
}

impl Explain for AsymptoticSequence {
    fn reading(&self) -> String {
        format!(
            "The mean of {} values: {}, valid whenever one looks, for large samples.",
            self.n,
            self.interval.words()
        )
    }
}

/// The sequence at the end of the data; `rho2` sets the sample size at which it is narrowest.
pub fn asymptotic_sequence(values: &[f64], rho2: f64, alpha: f64) -> Outcome<AsymptoticSequence> {
    at_least(
        "an asymptotic confidence sequence",
        "the values",
        values,
        FEWEST,
    )?;
    positive("rho2", rho2)?;
    open_chance("alpha", alpha)?;
    let moments = Moments::of(values);
    let sd = representable("the standard deviation", moments.sd())?;
    let interval = Interval::around(moments.mean, sd, Level::two_sided(alpha), |_| {
        radius_over_sd(values.len(), rho2, alpha)
    });
    Ok(AsymptoticSequence {
        method: "asymptotic confidence sequence",
        n: values.len(),
        estimate: moments.mean,
        interval: interval.representable()?,
        dropped: Vec::new(),
    })
}
