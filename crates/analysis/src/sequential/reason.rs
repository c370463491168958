//! Why a sequential run ended: for every arm, and for the run.
//!
//! An arm may have its answer long before the run ends for another one, so that the run's reason is not the arm's.

use super::look::{NoResult, Stop};
use crate::compare::objections::objection::Objection;
use serde::Serialize;

/// Why there is this answer for a candidate, or none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ArmReason {
    /// It has an answer.
    Answered {
        /// Which.
        stop: Stop,
        /// Pairs that it rests on.
        pairs: usize,
    },
    /// The budget is used up.
    Exhausted {
        /// The budget in pairs.
        budget: u32,
        /// What kept an answer from counting.
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<NoAnswer>,
    },
}

/// What kept an answer from counting.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NoAnswer {
    /// Something speaks against it.
    Objection {
        /// What.
        by: Objection,
    },
    /// The last look has no result.
    NoResult {
        /// Why.
        why: NoResult,
    },
}
