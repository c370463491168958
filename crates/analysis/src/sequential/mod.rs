//! Sequential runs: after every complete block of seeds the question "is it decided?" is asked, at an error rate that
//! counts all the looks.
//!
//! Pairs are taken in the order of the plan, whatever the order in which trials finish: fast runs are often the broken
//! ones, and must not overtake. What a look sees depends only on the records of the first pairs, so that a resumed run,
//! fed its records again, makes the very same looks and none twice.

mod blocks;
mod budget;
mod judged_by;
mod look;
mod looking;
mod objections;
mod own_answer;
pub(crate) mod plan;
mod reason;
mod resumed;
mod rule;
pub(crate) mod trajectory;

pub use budget::with_budget;
pub use look::{ArmLook, Look, NoResult, Stop};
pub use plan::SequentialPlan;
pub use reason::{ArmReason, NoAnswer};
pub use resumed::{may_add_seeds, resumed_rule};
pub use rule::SequentialRule;
pub use trajectory::{ArmAnswer, ArmFailures, SEQUENTIAL_SCHEMA, Trajectory};
