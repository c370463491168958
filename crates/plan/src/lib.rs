//! A spec fully expanded: every trial in its order, with an identity that says what its result depends on.
//!
//! A plan of a million trials is a permutation of numbers; a [`Trial`] is worked out from its number when somebody
//! asks for it. The same spec always gives the same plan.
#![forbid(unsafe_code)]

mod change;
mod design;
mod error;
mod identity;
mod measuring;
mod order;
mod plan;
mod points;
mod trial;

pub use change::{FieldChange, PlanChange};
pub use error::PlanError;
pub use identity::PLAN_VERSION;
pub use measuring::measured_differently;
pub use plan::Plan;
pub use points::Shortage;
pub use trial::{Placement, Trial};

#[cfg(test)]
mod tests;
