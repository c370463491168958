//! A trial as one row of a table: little enough that 100,000 of them are held at once.

use fairtrial_model::{Cause, Number, Outcome, TrialKey, UtcTime};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Metrics that rows show at most.
pub(super) const MOST_METRICS: usize = 6;
/// Rows at most; a run has no more trials than this.
pub(super) const MOST_ROWS: usize = 1 << 26;

/// A trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialRow {
    /// Its place in the plan.
    pub trial: u64,
    /// The task.
    pub task: String,
    /// The arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// The sweep point in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub point: String,
    /// The seed.
    pub seed: u64,
    /// The repetition under that seed.
    #[serde(skip_serializing_if = "is_zero")]
    pub rollout: u32,
    /// How it ended; absent where it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Attempts that were begun.
    pub attempts: u32,
    /// Whether an attempt has no record yet.
    pub in_flight: bool,
    /// Wall seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<f64>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<UtcTime>,
    /// The shown metrics, in their order; absent where it has no such number.
    pub values: Vec<Option<f64>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// What a row needs of a record.
#[derive(Debug, Deserialize)]
pub(super) struct RowRecord {
    trial: TrialKey,
    outcome: Outcome,
    #[serde(default)]
    cause: Option<Cause>,
    ended_at: UtcTime,
    #[serde(default)]
    resources: Used,
    #[serde(default)]
    metrics: BTreeMap<String, Number>,
}

#[derive(Debug, Default, Deserialize)]
struct Used {
    #[serde(default)]
    wall_s: Option<f64>,
}

impl From<&TrialKey> for TrialRow {
    fn from(key: &TrialKey) -> Self {
        Self {
            task: key.task.clone(),
            arm: key.arm.clone(),
            point: if key.point.is_empty() {
                String::new()
            } else {
                key.point.to_string()
            },
            seed: key.seed,
            rollout: key.rollout,
            ..Self::unknown(key.index)
        }
    }
}

impl TrialRow {
    /// A trial of which nothing but its number is known.
    pub(super) fn unknown(trial: u64) -> Self {
        Self {
            trial,
            task: String::new(),
            arm: None,
            point: String::new(),
            seed: 0,
            rollout: 0,
            outcome: None,
            cause: None,
            attempts: 0,
            in_flight: false,
            wall: None,
            ended_at: None,
            values: Vec::new(),
        }
    }

    /// Takes what a record says. Where nothing is declared the first metrics that are met are shown.
    pub(super) fn take(&mut self, record: RowRecord, shown: &mut Vec<String>) {
        let (attempts, in_flight) = (self.attempts, self.in_flight);
        *self = Self::from(&record.trial);
        (self.attempts, self.in_flight) = (attempts, in_flight);
        self.outcome = Some(record.outcome);
        self.cause = record.cause.map(|cause| cause.to_string());
        self.wall = record.resources.wall_s;
        self.ended_at = Some(record.ended_at);
        let room = MOST_METRICS.saturating_sub(shown.len());
        let new = record.metrics.keys().filter(|name| !shown.contains(name));
        let new: Vec<String> = new.take(room).cloned().collect();
        shown.extend(new);
        let value = |name: &String| record.metrics.get(name).map(|number| number.0);
        let finite = |value: &f64| value.is_finite();
        self.values = shown
            .iter()
            .map(|name| value(name).filter(finite))
            .collect();
    }

    /// `ok`, `failed`, ... or, of one without a record, `running` where its run lives, `cut off` where it does not, and
    /// `waiting` before it began.
    pub(super) fn status(&self, live: bool) -> &'static str {
        match self.outcome {
            _ if self.in_flight && live => "running",
            Some(outcome) => outcome.word(),
            None if self.in_flight => "cut off",
            None => "waiting",
        }
    }
}
