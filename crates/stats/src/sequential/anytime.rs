//! Looks at any time: the Gaussian-mixture t e-process (Wang and Ramdas 2023), read as its confidence sequence.
//!
//! The process has a mean of at most 1 where the mean difference is zero, so that it reaches 1/alpha with a chance of at
//! most alpha, over any number of looks; it does so exactly when the sequence excludes zero. That needs no budget, and
//! the price is a wider interval than with one.

use serde::Serialize;

use super::group_t::{LookResult, Rest, Statistic, by_sign_flips, by_t, decide};
use super::schedule::Schedule;
use crate::Outcome;
use crate::descriptive::Moments;
use crate::dist::student_t;
use crate::sample::{at_least, open_chance};

/// The spread of the effects that the mixture bets on, in standard deviations: the effects that people look for.
const TAU2: f64 = 1.0;
/// The share of alpha at which a difference that never varies, of which t says nothing, is decided by its signs.
const FOR_CONSTANTS: f64 = 0.25;

/// Looks whose error chance holds whenever one looks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnytimeDesign {
    /// When the data are looked at. More looks may follow later.
    pub schedule: Schedule,
    /// The error chance over all looks that may ever be taken.
    pub alpha: f64,
}

/// How many standard errors the confidence sequence reaches to each side; infinite while n is too small.
pub fn t_multiplier(n: usize, tau2: f64, alpha: f64) -> f64 {
    let (size, df) = (n as f64, n as f64 - 1.0);
    let r = 1.0 + size * tau2;
    let k = ((r / (alpha * alpha)).ln() / size).exp();
    if n < 2 || k >= r {
        return f64::INFINITY;
    }
    (df * (k - 1.0) / (1.0 - k / r)).sqrt()
}

/// Looks at the differences so far. Their number must be one of the looks.
pub fn look_anytime(design: &AnytimeDesign, differences: &[f64]) -> Outcome<LookResult> {
    at_least("a look", "the differences", differences, 2)?;
    open_chance("alpha", design.alpha)?;
    let n = differences.len();
    let index = design.schedule.place_of(n)?;
    let moments = Moments::of(differences);
    let alpha = design.alpha;
    let (critical, seen) = if moments.is_constant() {
        let critical = student_t::inverse_sf(0.5 * FOR_CONSTANTS * alpha, moments.n - 1.0);
        (
            critical,
            by_sign_flips(&moments, differences, critical, alpha)?,
        )
    } else {
        let critical = t_multiplier(n, TAU2, alpha);
        (critical, by_t(&moments, differences, critical, alpha)?)
    };
    let Statistic {
        estimate,
        t,
        interval,
    } = seen;
    let rest = Rest {
        last: index + 1 == design.schedule.looks().len(),
        power: None,
        below: 0.0,
    };
    Ok(LookResult {
        method: "t e-process",
        look: index + 1,
        n,
        estimate,
        standard_error: moments.standard_error(),
        t,
        critical,
        interval,
        conditional_power: None,
        decision: decide(t, critical, &rest),
        dropped: Vec::new(),
    })
}
