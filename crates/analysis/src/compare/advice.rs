//! What would settle an open question.

use crate::compare::data::unit::UnitKind;
use serde::Serialize;

/// What would settle it, if the estimate and the spread stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// Further pairs, or units per side (in each task, where tasks are averaged).
    pub units: u64,
    /// What is counted.
    pub unit: UnitKind,
    /// Whether they are pairs.
    pub paired: bool,
    /// Whether they are counted in each task.
    pub in_each_task: bool,
    /// Units needed in all.
    pub total: u64,
}
