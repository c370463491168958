//! Futility: stop when what is left of the budget can hardly change the answer. Non-binding, so that ignoring it never
//! costs error control.

use serde::Serialize;

use super::t_boundary::TBoundaries;
use crate::dist::{normal, student_t};

/// When a trial is given up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Futility {
    /// The smallest effect worth finding, in the units of the data; none where no such effect was declared.
    pub min_effect: Option<f64>,
    /// Give up when the conditional power is below this in both directions.
    pub below: f64,
}

impl Default for Futility {
    fn default() -> Self {
        Self {
            min_effect: None,
            below: 0.2,
        }
    }
}

/// The chance to reject at the end of the budget, given the data so far and an effect of the assumed size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ConditionalPower {
    /// The assumed effect in standard deviations.
    pub effect: f64,
    /// If the true effect is positive.
    pub up: f64,
    /// If it is negative.
    pub down: f64,
}

/// The data so far: how many pairs, their t and their standard deviation.
#[derive(Clone, Copy)]
pub(super) struct SoFar {
    pub(super) n: usize,
    pub(super) t: f64,
    pub(super) sd: f64,
}

impl Futility {
    /// The power left, with the effect max(min_effect / sd, what the budget can detect at 80 %).
    pub(super) fn power(
        &self,
        boundaries: &TBoundaries,
        so_far: SoFar,
    ) -> Option<ConditionalPower> {
        let budget = boundaries.design.schedule.budget();
        let left = budget.checked_sub(so_far.n).filter(|&left| left > 0)? as f64;
        let detectable = boundaries.detectable_effect;
        let effect = self.min_effect.map_or(detectable, |effect| {
            (effect.abs() / so_far.sd).max(detectable)
        });
        let final_critical = *boundaries.critical.last()?;
        let z = z_of_t(so_far.t, so_far.n);
        let edge = z_of_t(final_critical, budget) * (budget as f64).sqrt();
        let reached = z * (so_far.n as f64).sqrt();
        let toward = |sign: f64| {
            let drift = sign * left * effect;
            let above = normal::sf((edge - reached - drift) / left.sqrt());
            above + normal::cdf((-edge - reached - drift) / left.sqrt())
        };
        Some(ConditionalPower {
            effect,
            up: toward(1.0),
            down: toward(-1.0),
        })
    }
}

/// The z value with the same tail as this t value.
fn z_of_t(t: f64, n: usize) -> f64 {
    let tail = student_t::sf(t.abs(), n as f64 - 1.0);
    normal::inverse_sf(tail.max(f64::MIN_POSITIVE)).copysign(t)
}
