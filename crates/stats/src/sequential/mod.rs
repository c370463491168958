//! Stopping early without fooling oneself: looks at growing data whose error chances are known.
//!
//! With a budget: group-sequential t ([`look`] with [`TBoundaries`]), exact for normal differences, or its exact sign-flip
//! variant ([`sign_flip_looks`]) for any distribution. Without one: e-processes and confidence sequences, valid at every
//! moment. Plain tests at every look reject a true "no difference" in 20 % of the cases by 15 pairs.

mod asymptotic;
mod bounded;
mod futility;
mod group_t;
mod mcnemar;
mod normal_boundary;
mod schedule;
mod sign_flip;
mod sign_flip_process;
mod spending;
mod t_boundary;
mod t_process;

pub use asymptotic::{AsymptoticSequence, asymptotic_sequence, radius_over_sd};
pub use bounded::{BoundedMethod, BoundedSequence, bounded_sequence};
pub use futility::{ConditionalPower, Futility};
pub use group_t::{Decision, LookResult, LookTest, look};
pub use mcnemar::{McNemarProcess, mcnemar_log_e, mcnemar_process};
pub use normal_boundary::{NormalBoundaries, crossing_probability, normal_boundaries};
pub use schedule::{Design, Schedule};
pub use sign_flip::{SignFlipLook, SignFlipLooks, sign_flip_looks};
pub use sign_flip_process::{SignFlipProcess, sign_flip_process};
pub use spending::Spending;
pub use t_boundary::{DEFAULT_PATHS, TBoundaries, t_boundaries};
pub use t_process::{AnytimeStep, AnytimeT, anytime_t, t_log_e, t_multiplier};
