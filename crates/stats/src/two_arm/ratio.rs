//! Ratios: "candidate takes 0.93 of the control's time".

use serde::Serialize;

use crate::descriptive::Moments;
use crate::dist::student_t as t;
use crate::sample::{self, representable};
use crate::{Explain, Interval, Level, Outcome, Undefined};
use fairtrial_text::count::counted;
use fairtrial_text::significant::short;

use super::contrast::Contrast;
use super::t_test::Design;

/// A ratio candidate / control with its interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatioInterval {
    /// What was computed.
    pub method: &'static str,
    /// Observations of the control (pairs, in a paired design).
    pub n_control: usize,
    /// Observations of the candidate.
    pub n_candidate: usize,
    /// The ratio.
    pub estimate: f64,
    /// The interval of the ratio.
    pub interval: Interval,
    /// Degrees of freedom.
    pub df: f64,
    /// The p value of "ratio 1", where the method gives one.
    pub p: Option<f64>,
}

/// The same of the means over strata (tasks) with equal weights, in pairs or not; without pairs each arm has a variance of
/// its own in any design.
///
/// It holds a ratio of 1 exactly where the t interval of the difference (paired, Welch's or stratified) holds 0.
pub fn fieller(
    strata: &[(&[f64], &[f64])],
    design: Design,
    level: Level,
) -> Outcome<RatioInterval> {
    let level = level.checked()?;
    let scaled = in_middle_of_range(strata);
    let columns = scaled.iter().map(|(a, b)| (a.as_slice(), b.as_slice()));
    let means = if scaled.is_empty() {
        Means::of(strata, design)?
    } else {
        Means::of(&columns.collect::<Vec<_>>(), design)?
    };
    if means.a == 0.0 {
        return Err(Undefined::NoSolution(
            "the control's mean is 0: a ratio has no meaning, use the difference".into(),
        ));
    }
    let end = |tail: Option<f64>, sign: f64, open: f64| {
        tail.map_or(Ok(open), |tail| {
            means.end(t::inverse_sf(tail, means.df), sign)
        })
    };
    let interval = Interval {
        low: end(level.lower_tail(), -1.0, f64::NEG_INFINITY)?,
        high: end(level.upper_tail(), 1.0, f64::INFINITY)?,
        level,
    };
    let count = |side: fn(&(&[f64], &[f64])) -> usize| strata.iter().map(side).sum();
    Ok(RatioInterval {
        method: match design {
            Design::Paired => "ratio of means, Fieller interval over pairs",
            Design::Unpaired => "ratio of means, Fieller interval with Welch degrees of freedom",
        },
        n_control: count(|(control, _)| control.len()),
        n_candidate: count(|(_, candidate)| candidate.len()),
        estimate: representable("the ratio", means.b / means.a)?,
        interval: interval.representable()?,
        df: means.df,
        p: None,
    })
}

/// Values whose squares no number can hold, as shares of the largest: their ratio is the same. Empty where all is well.
fn in_middle_of_range(strata: &[(&[f64], &[f64])]) -> Vec<(Vec<f64>, Vec<f64>)> {
    let largest = strata.iter().fold(0.0f64, |most, (a, b)| {
        most.max(sample::max_abs(a)).max(sample::max_abs(b))
    });
    if largest == 0.0 || !largest.is_finite() || (1e-100..1e100).contains(&largest) {
        return Vec::new();
    }
    let shares = |xs: &[f64]| xs.iter().map(|x| x / largest).collect();
    let each = strata.iter().map(|(a, b)| (shares(a), shares(b)));
    each.collect()
}

/// Two means with the variances of both and of the residual `b - (b / a) a`, and their covariance.
struct Means {
    a: f64,
    va: f64,
    b: f64,
    vb: f64,
    covariance: f64,
    residual: f64,
    df: f64,
}

impl Means {
    fn of(strata: &[(&[f64], &[f64])], design: Design) -> Outcome<Self> {
        let mut parts: Vec<(f64, f64)> = Vec::with_capacity(strata.len());
        for (control, candidate) in strata {
            let contrast = match design {
                Design::Paired => Contrast::paired(control, candidate),
                Design::Unpaired => Contrast::welch(control, candidate),
            };
            let own = match contrast {
                Ok(contrast) => contrast,
                // A task in which nothing varies adds nothing, where others do.
                Err(Undefined::ZeroVariance { .. }) if strata.len() > 1 => continue,
                Err(why) => return Err(why),
            };
            parts.push((own.standard_error.powi(2), own.df));
        }
        let total: f64 = parts.iter().map(|(part, _)| part).sum();
        // Shares of the whole, so that squares of tiny variances do not underflow.
        let shares = parts.iter().map(|(part, df)| (part / total).powi(2) / df);
        let df = 1.0 / shares.sum::<f64>();
        if total == 0.0 {
            return Err(Undefined::ZeroVariance {
                what: "the difference between the arms".into(),
                value: 0.0,
            });
        }
        let moments = |side: fn(&(&[f64], &[f64])) -> Moments| -> (f64, f64) {
            let each: Vec<Moments> = strata.iter().map(side).collect();
            let k = each.len() as f64;
            let mean = each.iter().map(|of| of.mean).sum::<f64>() / k;
            let variance = each.iter().map(|of| of.variance() / of.n).sum::<f64>();
            (mean, variance / (k * k))
        };
        let (a, va) = moments(|(control, _)| Moments::of(control));
        let (b, vb) = moments(|(_, candidate)| Moments::of(candidate));
        let ratio = b / a;
        let (covariance, residual) = match design {
            Design::Unpaired => (0.0, vb + ratio * ratio * va),
            Design::Paired => {
                let k = strata.len() as f64;
                let of = |weight: f64| {
                    let each = strata.iter().map(|(control, candidate)| {
                        let pairs = control.iter().zip(*candidate);
                        let rest: Vec<f64> = pairs.map(|(a, b)| b - weight * a).collect();
                        let moments = Moments::of(&rest);
                        moments.variance() / moments.n
                    });
                    each.sum::<f64>() / (k * k)
                };
                (0.5 * (va + vb - of(1.0)), of(ratio))
            }
        };
        Ok(Self {
            a,
            va,
            b,
            vb,
            covariance,
            residual,
            df: representable("degrees of freedom", df)?,
        })
    }

    /// A root of `(b - r a)^2 = q^2 (vb - 2 r cov + r^2 va)`.
    fn end(&self, q: f64, sign: f64) -> Outcome<f64> {
        // Everything over a^2: g is the squared relative error of the control's mean.
        let over = |x: f64| q * q * x / self.a / self.a;
        let (g, h, k) = (over(self.va), over(self.covariance), over(self.vb));
        let inside = over(self.residual) + h * h - g * k;
        if !(g < 1.0 && inside >= 0.0) {
            return Err(Undefined::NoSolution(
                "the control's mean is not clearly away from 0, so that the ratio has no bounded interval (Fieller)".into(),
            ));
        }
        Ok((self.b / self.a - h + sign * inside.sqrt()) / (1.0 - g))
    }
}

impl Explain for RatioInterval {
    fn reading(&self) -> String {
        let change = 100.0 * (self.estimate - 1.0);
        let direction = if change < 0.0 { "less" } else { "more" };
        format!(
            "The candidate is at {} of the control, {} % {direction} ({}; {}, {}).",
            short(self.estimate),
            short(change.abs()),
            self.interval.words(),
            self.method,
            counted(self.n_candidate + self.n_control, "observation")
        )
    }
}
