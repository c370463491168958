//! The drivers of a rollout's trial: the rollout itself, and its scoring again.

use super::end::DriverEnd;
use super::log::{broken, say};
use crate::caller::text_of;
use fairtrial_agent::rollout::{RolloutEnd, RolloutTask, RolloutTrial, drive, score_again};
use std::collections::BTreeMap;

/// Drives one rollout.
pub(super) fn roll_out(task: &RolloutTask, trial: &RolloutTrial) -> DriverEnd {
    match drive(task, trial, environment()) {
        RolloutEnd::Done => DriverEnd::Fine,
        RolloutEnd::Failed => DriverEnd::Failed,
        RolloutEnd::Infra => DriverEnd::Machine,
    }
}

/// Scores a rollout again, and says what came of it.
pub(super) fn rescore(task: &RolloutTask, trial: &RolloutTrial) -> DriverEnd {
    match score_again(task, trial, environment()) {
        Ok(report) => {
            say(&serde_json::to_string(&report).unwrap_or_default());
            DriverEnd::Fine
        }
        Err(error) => broken(&error.to_string()),
    }
}

fn environment() -> BTreeMap<String, String> {
    text_of(std::env::vars_os()).into_iter().collect()
}
