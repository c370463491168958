//! Warm-up, drift and autocorrelation of one series in time order.
//!
//! Each is looked for in what the one before it leaves: a warm-up would pass for a drift, and a drift for neighbours that
//! resemble each other. On noise (normal, t with 3 df, exponential, one in ten far out) each is found in less than 1 % of
//! all series.

use serde::Serialize;

use crate::descriptive::{Moments, correlation, mad, median, sum};
use crate::dist::{normal, student_t};
use crate::rank::midranks::Midranks;
use crate::sample;
use crate::{Outcome, Undefined};

/// Values below which chance looks like any of them.
const LEAST: usize = 20;
/// The chance that a drift or a resemblance is found in noise, two-sided.
const CHANCE: f64 = 0.005;
/// Robust standard deviations from the later half beyond which a first value is no noise.
const FAR: f64 = 10.0;
/// A median absolute deviation of normal data as a standard deviation.
const AS_SD: f64 = 1.482_6;
/// A resemblance that does not matter.
const SLIGHT: f64 = 0.2;

/// What a series in time order gives away.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeOrder {
    /// Values.
    pub n: usize,
    /// Leading values that are far from the later half; 0 where none are.
    pub warm_up: usize,
    /// Rising or falling.
    pub drift: Option<Drift>,
    /// Neighbours that resemble each other.
    pub autocorrelation: Option<Autocorrelation>,
}

/// Values that rise or fall with time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Drift {
    /// By how much from the first to the last value, along the fitted line.
    pub change: f64,
    /// The p value of "no drift", by the ranks (Spearman).
    pub p: f64,
}

/// How much one value tells about the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Autocorrelation {
    /// Correlation of neighbours.
    pub lag1: f64,
    /// How many independent values these are worth.
    pub effective_n: f64,
}

/// Looks at a series in time order. Too few values, and values that never vary, are refused.
pub fn time_order(xs: &[f64]) -> Outcome<TimeOrder> {
    sample::at_least("a look at the order of time", "the values", xs, LEAST)?;
    let moments = Moments::of(xs);
    if moments.is_constant() {
        return Err(Undefined::ZeroVariance {
            what: "the series".into(),
            value: moments.mean,
        });
    }
    let warm_up = warm_up(xs)?;
    let settled = &xs[warm_up..];
    let varies = !Moments::of(settled).is_constant();
    let (drift, level) = if varies {
        drift(settled)?
    } else {
        (None, Vec::new())
    };
    let autocorrelation = if varies {
        autocorrelation(&level)?
    } else {
        None
    };
    Ok(TimeOrder {
        n: xs.len(),
        warm_up,
        drift,
        autocorrelation,
    })
}

/// Leading values beyond everything in the later half, and far from it.
fn warm_up(xs: &[f64]) -> Outcome<usize> {
    let (early, late) = xs.split_at(xs.len() / 2);
    let (centre, spread) = (median(late)?, AS_SD * mad(late)?);
    let (least, most) = late
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
            (least.min(*x), most.max(*x))
        });
    let far = |x: &f64| (*x > most || *x < least) && (x - centre).abs() > FAR * spread;
    let same_side = |x: &f64| (*x > centre) == (early[0] > centre);
    Ok(early.iter().take_while(|x| far(x) && same_side(x)).count())
}

/// The drift, and the series without its line.
fn drift(xs: &[f64]) -> Outcome<(Option<Drift>, Vec<f64>)> {
    let (n, moments) = (xs.len() as f64, Moments::of(xs));
    let times: Vec<f64> = (0..xs.len()).map(|i| i as f64 - 0.5 * (n - 1.0)).collect();
    let squares = n * (n * n - 1.0) / 12.0;
    let products = times.iter().zip(xs).map(|(t, x)| t * (x - moments.mean));
    let slope = sample::representable("the slope", sum(products) / squares)?;
    let ranks = Midranks::of(xs, 0.0).doubled;
    let ranks: Vec<f64> = ranks.into_iter().map(|rank| rank as f64).collect();
    let rho = correlation(&ranks, &times)?;
    let t = rho.abs() * ((n - 2.0) / (1.0 - rho * rho).max(f64::MIN_POSITIVE)).sqrt();
    let p = student_t::two_sided(t, n - 2.0);
    let found = Drift {
        change: slope * (n - 1.0),
        p,
    };
    let level = times.iter().zip(xs).map(|(t, x)| x - slope * t).collect();
    Ok(((p <= CHANCE).then_some(found), level))
}

/// Neighbours that resemble each other by more than chance and more than matters.
fn autocorrelation(xs: &[f64]) -> Outcome<Option<Autocorrelation>> {
    let moments = Moments::of(xs);
    if moments.is_constant() {
        return Ok(None);
    }
    let around = |x: f64| x - moments.mean;
    let products = xs.windows(2).map(|two| around(two[0]) * around(two[1]));
    let lag1 = sum(products) / moments.squares;
    let lag1 = sample::representable("the autocorrelation", lag1)?.clamp(-1.0, 1.0);
    let by_chance = normal::inverse_sf(CHANCE) / moments.n.sqrt() - 1.0 / moments.n;
    let worth = (1.0 - lag1) / (1.0 + lag1);
    Ok((lag1 > by_chance.max(SLIGHT)).then(|| Autocorrelation {
        lag1,
        effective_n: (moments.n * worth).max(1.0),
    }))
}
