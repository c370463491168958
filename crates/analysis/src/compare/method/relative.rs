//! A difference as a share of the control, with the control's own noise in the interval (Fieller).

use crate::compare::method::choose::Case;
use crate::compare::ranged::Ranged;
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
}

/// The relative change that belongs to an absolute one, or why there is none.
pub(crate) fn change(case: &Case, absolute: Ranged, level: Level) -> Result<Ranged, NoRelative> {
    let control = case.control_mean().unwrap_or(0.0);
    if control == 0.0 {
        return Err(NoRelative::ControlIsZero);
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
