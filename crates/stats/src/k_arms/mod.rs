//! More than two arms: overviews, and every arm against the control.
//!
//! An overview test says only that "something differs"; it never replaces the contrasts.

mod contrasts;
mod independent;
mod repeated;

pub use contrasts::{ArmContrast, Contrasts, dunnett, tukey};
pub use independent::{AlexanderGovern, Kruskal, OneWay, alexander_govern, kruskal, one_way};
pub use repeated::{Friedman, RepeatedMeasures, friedman, repeated_measures};

use crate::{Outcome, Undefined, sample};

/// Checks two or more arms with enough finite values each.
fn arms_checked(method: &str, arms: &[&[f64]], need: usize) -> Outcome<()> {
    if arms.len() < 2 {
        return Err(Undefined::TooFew {
            method: format!("{method} (arms)"),
            have: arms.len(),
            need: 2,
        });
    }
    arms.iter()
        .try_for_each(|arm| sample::at_least(method, "an arm", arm, need))
}
