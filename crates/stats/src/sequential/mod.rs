//! Stopping early without fooling oneself: looks at growing data whose error chances are known.
//!
//! With a budget: group-sequential t ([`look`] with [`TBoundaries`]), exact for normal differences. Without one: a
//! confidence sequence ([`look_anytime`]), valid at every moment. Plain tests at every look reject a true "no difference" in
//! 20 % of the cases by 15 pairs.

mod anytime;
mod futility;
mod group_t;
mod schedule;
mod spending;
mod t_boundary;

pub use anytime::{AnytimeDesign, look_anytime, t_multiplier};
pub use futility::{ConditionalPower, Futility};
pub use group_t::{Decision, LookResult, LookTest, look};
pub use schedule::{Design, Schedule};
pub use spending::Spending;
pub use t_boundary::{TBoundaries, t_boundaries};
