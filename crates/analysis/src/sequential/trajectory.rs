//! What a sequential run did, for its report.

use super::look::{ArmLook, Look, Stop};
use super::reason::ArmReason;
use crate::compare::failures::FailureCount;
use crate::compare::method::kind::Scale;
use crate::compare::objections::objection::Objection;
use fairtrial_model::Direction;
use fairtrial_spec::LookPromise;
use serde::Serialize;

/// Version of the JSON form.
pub const SEQUENTIAL_SCHEMA: u32 = 2;
/// What is known about one candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmAnswer {
    /// The arm.
    pub arm: String,
    /// Its answer; absent while there is none.
    pub stop: Option<Stop>,
    /// Pairs that it rests on.
    pub pairs: usize,
    /// Why there is one, or none; absent while that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<ArmReason>,
}

/// How often one arm failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArmFailures {
    /// The arm.
    pub arm: String,
    /// Its trials.
    #[serde(flatten)]
    pub count: FailureCount,
}

/// What a sequential run did, for its report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trajectory {
    /// [`SEQUENTIAL_SCHEMA`].
    pub schema: u32,
    /// The metric.
    pub metric: String,
    /// Which way is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Its unit for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The scale of estimates, intervals and margins; on that of ratios they are logarithms.
    pub scale: Scale,
    /// The control arm.
    pub control: String,
    /// The other arms.
    pub candidates: Vec<String>,
    /// Two-sided error rate over all looks and arms together.
    pub alpha: f64,
    /// What the error rate counts on: the planned looks, or nothing.
    pub promise: LookPromise,
    /// The share of it that each arm has: one minus the confidence of the repeated intervals.
    pub arm_alpha: f64,
    /// The looks that were planned, in pairs.
    pub planned: Vec<usize>,
    /// The looks that were taken.
    pub looks: Vec<Look>,
    /// Why it ended; absent while it goes on.
    pub stop: Option<Stop>,
    /// Why no answer counts, although every arm has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<Objection>,
    /// The candidates, each with its own answer.
    pub answers: Vec<ArmAnswer>,
    /// How often each arm failed, the control first.
    pub failures: Vec<ArmFailures>,
    /// Pairs that the answer rests on.
    pub pairs: usize,
    /// Pairs with a side missing among those that were complete.
    pub broken: usize,
    /// Trials that the budget held and the run did not need.
    pub trials_saved: u64,
    /// The budget in trials.
    pub trials_planned: u64,
}

impl Trajectory {
    /// Whether the error rate holds at any number of looks.
    pub const fn is_anytime(&self) -> bool {
        matches!(self.promise, LookPromise::Anytime)
    }

    /// The look at an arm at so many pairs.
    pub fn look(&self, arm: &str, pairs: usize) -> Option<&ArmLook> {
        let look = self.looks.iter().find(|look| look.n == pairs)?;
        look.arms.iter().find(|of| of.arm == arm)
    }

    /// The last look at an arm.
    pub fn last_look(&self, arm: &str) -> Option<&ArmLook> {
        let mut all = self.looks.iter().rev().flat_map(|look| &look.arms);
        all.find(|of| of.arm == arm)
    }
}

impl ArmAnswer {
    pub(super) fn open(arm: &str) -> Self {
        Self {
            arm: arm.to_owned(),
            stop: None,
            pairs: 0,
            reason: None,
        }
    }
}
