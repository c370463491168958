//! Two arms, candidate against control: differences, ratios, standardised effects.
//!
//! Every effect is candidate - control, or candidate / control.

mod contrast;
mod effect_size;
mod ratio;
mod t_test;

pub use effect_size::{
    PairedEffect, UnpairedEffect, hedges_correction, paired_effect, unpaired_effect,
};
pub use ratio::{RatioInterval, fieller};
pub use t_test::{Design, TTest, t_test};
