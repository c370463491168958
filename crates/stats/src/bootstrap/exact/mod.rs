//! The bootstrap with all resamples (B = infinity): no seed, no noise, and for means faster than drawing.
//!
//! Few distinct values: every multiset with its multinomial weight. More: the n-fold convolution of the empirical
//! distribution by FFT. Order statistics (median, quantiles): a binomial formula.

mod convolution;

mod enumeration;
mod fourier;
mod order_statistic;

pub use order_statistic::{median, quantile};

use convolution::{Convolved, Part};
use enumeration::Enumerated;

use super::acceleration::leave_one_out_means;
use super::distribution::Distribution;
use super::endpoints::{Estimate, degenerate, ends};
use super::entry::{check_arms, check_sample, contrast_jackknife, differences, finite};
use super::plan::Method;
use super::result::{BootstrapInterval, Header};
use super::statistic::{Contrast, Design, mean as mean_of};
use crate::{Level, Outcome, Undefined};

/// The exact bootstrap interval of a mean; every method but the studentised one.
pub fn mean(sample: &[f64], method: Method, level: Level) -> Outcome<BootstrapInterval> {
    check_request(method, level)?;
    check_sample("sample", sample, 2)?;
    let estimate = Estimate {
        value: mean_of(sample),
        leave_one_out: vec![leave_one_out_means(sample)],
    };
    let header = Header::exact("mean", vec![sample.len()], estimate.value);
    interval(&[Part::mean(sample)], header, &estimate, (method, level))
}

/// The exact bootstrap interval of the candidate's mean minus the control's.
pub fn mean_difference(
    control: &[f64],
    candidate: &[f64],
    design: Design,
    (method, level): (Method, Level),
) -> Outcome<BootstrapInterval> {
    let arms = [control, candidate];
    check_request(method, level)?;
    check_arms(arms, design)?;
    if design == Design::Paired {
        let mut paired = mean(&differences(arms)?, method, level)?;
        paired.statistic = "mean of the paired differences".into();
        return Ok(paired);
    }
    let estimate = Estimate {
        value: mean_of(candidate) - mean_of(control),
        leave_one_out: contrast_jackknife(arms, &Contrast::MeanDifference, design),
    };
    let header = Header::exact(
        "difference of means",
        vec![control.len(), candidate.len()],
        estimate.value,
    );
    interval(
        &[Part::minus_mean(control), Part::mean(candidate)],
        header,
        &estimate,
        (method, level),
    )
}

fn check_request(method: Method, level: Level) -> Outcome<()> {
    level.checked()?;
    if method == Method::Studentised {
        return Err(Undefined::NoSolution(
            "the studentised bootstrap has no exact route; draw resamples".into(),
        ));
    }
    Ok(())
}

fn interval(
    parts: &[Part],
    mut header: Header,
    estimate: &Estimate,
    (method, level): (Method, Level),
) -> Outcome<BootstrapInterval> {
    header.standard_error = parts.iter().map(Part::variance).sum::<f64>().sqrt();
    if !(header.estimate.is_finite() && header.standard_error.is_finite()) {
        return Err(Undefined::NoSolution(
            "the values are too large for the arithmetic of the bootstrap".into(),
        ));
    }
    let largest = parts.iter().map(Part::largest).fold(0.0, f64::max);
    if header.standard_error <= 8.0 * f64::EPSILON * largest
        || header.standard_error < f64::MIN_POSITIVE.sqrt()
    {
        return Ok(header.with(method, level, degenerate(estimate.value, level)));
    }
    let ends = ends(&mut Exact::of(parts), estimate, method, level);
    finite(header.with(method, level, ends))
}

/// The distribution of a sum of independent means (with signs), by the cheaper exact route.
enum Exact {
    Enumerated(Enumerated),
    Convolved(Convolved),
}

impl Exact {
    fn of(parts: &[Part]) -> Self {
        match Enumerated::of(parts) {
            Some(enumerated) => Self::Enumerated(enumerated),
            None => Self::Convolved(Convolved::of(parts)),
        }
    }
}

impl Distribution for Exact {
    fn quantile(&mut self, p: f64) -> f64 {
        match self {
            Self::Enumerated(d) => d.quantile(p),
            Self::Convolved(d) => d.quantile(p),
        }
    }

    fn mid_rank(&self, estimate: f64) -> f64 {
        match self {
            Self::Enumerated(d) => d.mid_rank(estimate),
            Self::Convolved(d) => d.cdf(estimate),
        }
    }

    fn share_below(&self, estimate: f64) -> f64 {
        match self {
            Self::Enumerated(d) => d.share_below(estimate),
            Self::Convolved(d) => d.cdf(estimate),
        }
    }

    fn standard_error(&self) -> f64 {
        match self {
            Self::Enumerated(d) => d.standard_error(),
            Self::Convolved(d) => d.standard_error,
        }
    }

    fn is_degenerate(&self) -> bool {
        match self {
            Self::Enumerated(d) => d.is_degenerate(),
            Self::Convolved(_) => false,
        }
    }
}
