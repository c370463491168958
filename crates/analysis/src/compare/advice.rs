//! What would settle an open question.

use crate::compare::data::unit::UnitKind;
use serde::Serialize;

/// What would settle it. Adding to the units that are there and looking again is no part of it: under no difference, that
/// gives 8.7 % false verdicts instead of 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// Units of a fresh run that would settle it, if the estimate and the spread stay as they are (pairs, or units per side;
    /// in each task, where tasks are averaged). Absent where so few units say too little about that, or where it is more
    /// than anyone would run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<u64>,
    /// What is counted.
    pub unit: UnitKind,
    /// Whether they are pairs.
    pub paired: bool,
    /// Whether they are counted in each task.
    pub in_each_task: bool,
    /// Whether `run --until decided` can settle it: the sides are arms of a run, and its spec can run again.
    pub until_decided: bool,
}
