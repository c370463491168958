//! Planning: how many runs an effect needs, what a number of runs can see, and how precise it gets.
//!
//! Everything rests on the non-central t where it exists; sample sizes are whole numbers, rounded up.

mod clustered;
mod original;
mod power;
mod precision;
mod proportions;

pub use clustered::TaskNoise;
pub use original::{
    CvCurve, CvRule, OriginalQuestion, OriginalSampleSize, OriginalScale, cv_curve,
    original_sample_size,
};
pub use power::{
    PowerAt, SampleSize, SmallestEffect, TDesign, power, power_over, sample_size, sample_size_over,
    smallest_effect, smallest_effect_over, tasks_worth,
};
pub use precision::{PrecisionCurve, PrecisionPoint, precision_curve};
pub use proportions::{
    ProportionPlan, ProportionPlanMethod, paired_proportions_sample_size, proportions_power,
    proportions_sample_size,
};
