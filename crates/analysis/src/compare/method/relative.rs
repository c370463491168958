//! A difference as a share of the control, with the control's own noise in the interval (Fieller).

use crate::compare::data::sample::Stratum;
use crate::compare::method::choose::Case;
use crate::compare::ranged::Ranged;
use fairtrial_model::Method;
use fairtrial_stats::permutation::flipped_share;
use fairtrial_stats::two_arm::fieller;
use fairtrial_stats::{Level, Undefined};
use serde::Serialize;

/// Why a difference is not given as a share of the control.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NoRelative {
    /// The control's mean is 0.
    ControlIsZero,
    /// The ratio has no bounds.
    Unbounded {
        /// Why.
        why: Undefined,
    },
    /// So few units do not bound a ratio.
    TooFewUnits,
    /// The method is not about means, or has no interval of their ratio.
    OtherMethod,
}

/// The relative change that belongs to an absolute one, or why there is none.
pub(crate) fn change(case: &Case, absolute: Ranged, level: Level) -> Result<Ranged, NoRelative> {
    let control = case.control_centre().unwrap_or(0.0);
    if control == 0.0 {
        return Err(NoRelative::ControlIsZero);
    }
    if matches!(case.method, Method::Rank | Method::Percentile | Method::Bca) {
        return Err(NoRelative::OtherMethod);
    }
    let of_control = |of: &Stratum| of.control.iter().all(|value| *value == of.control[0]);
    if case.sample.strata.iter().all(of_control)
        && (case.is_exact() || absolute.low == absolute.high)
    {
        // Nothing varies: neither does the share.
        return Ok(absolute.map(|difference| difference / control.abs()));
    }
    if case.method == Method::SignFlip {
        return by_sign_flips(case, level);
    }
    let strata = case.sample.strata.iter();
    let columns: Vec<(&[f64], &[f64])> = strata
        .map(|of| (of.control.as_slice(), of.candidate.as_slice()))
        .collect();
    let ratio = fieller(&columns, case.sample.design(), level)
        .map_err(|why| NoRelative::Unbounded { why })?;
    let (low, high) = (ratio.interval.low - 1.0, ratio.interval.high - 1.0);
    // Of a control below 0, more is a smaller share.
    let (low, high) = if control < 0.0 {
        (-high, -low)
    } else {
        (low, high)
    };
    let found = Ranged {
        value: absolute.value / control.abs(),
        low,
        high,
    };
    // Other methods than t may see it differently, with few units: two answers would be one too many.
    let same = (found.low > 0.0) == (absolute.low > 0.0)
        && (found.high < 0.0) == (absolute.high < 0.0)
        && (found.low..=found.high).contains(&found.value);
    if same {
        Ok(found)
    } else {
        Err(NoRelative::TooFewUnits)
    }
}

/// The same by sign-flips, whose interval excludes 0 exactly where that of the difference does.
fn by_sign_flips(case: &Case, level: Level) -> Result<Ranged, NoRelative> {
    let unbounded = |why| NoRelative::Unbounded { why };
    let flat = case.sample.flat().ok_or(NoRelative::OtherMethod)?;
    let differences = case.sample.differences().concat();
    let found = flipped_share(&differences, &flat.control, level).map_err(unbounded)?;
    Ok(Ranged {
        value: found.estimate,
        low: found.interval.low,
        high: found.interval.high,
    })
}
