//! What one independent observation is, and which observations of the two sides belong together.

use crate::compare::data::tally::Tally;
use serde::Serialize;

/// What counts as one independent observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitKind {
    /// A seed; repetitions under it are averaged.
    Seed,
    /// A repetition under the one seed.
    Rollout,
    /// A measured iteration inside one process.
    Iteration,
    /// A task; everything inside it is averaged.
    Task,
}

impl UnitKind {
    /// The word, for one of them.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Rollout => "trial",
            Self::Iteration => "iteration",
            Self::Task => "task",
        }
    }
}

/// How the units of the two sides belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pairing {
    /// Paired wherever both sides share their units.
    #[default]
    Auto,
    /// Paired; units that only one side has are broken pairs.
    Paired,
    /// Two independent groups.
    Unpaired,
}

/// Whether the result shall speak about these tasks or about tasks like them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskRole {
    /// Tasks like these for pass/fail and for agents, these tasks for everything else.
    #[default]
    ByKind,
    /// These tasks, averaged with equal weights.
    Fixed,
    /// Tasks like these: each is one observation.
    Random,
}

/// One unit of both sides; a side that has no trial of it is empty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UnitRow {
    pub(crate) task: u32,
    pub(crate) seed: u64,
    pub(crate) rollout: u32,
    pub(crate) control: Tally,
    pub(crate) candidate: Tally,
}

/// What the caller has decided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitRules {
    pub(crate) pairing: Pairing,
    pub(crate) tasks: TaskRole,
    pub(crate) binary: bool,
    /// Whether values are averaged as logarithms.
    pub(crate) logarithms: bool,
}

/// Task, seed and repetition of a unit; what is averaged away is 0.
pub(crate) type UnitKey = (u32, u64, u32);

/// The trials of one side that have no value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Those that are charged to the arm.
    pub(crate) failed: u64,
    /// Those, and the ones that are nobody's fault.
    pub(crate) without_value: u64,
    /// All trials.
    pub(crate) trials: u64,
}
