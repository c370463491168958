//! What a trial left: the one thing that counts as its result.

use crate::checkpoint::Checkpoint;
use crate::clock::UtcTime;
use crate::code::Code;
use crate::number::Number;
use crate::outcome::{Cause, Exit, Outcome};
use crate::packed::Packed;
use crate::resources::Resources;
use crate::trial::{TrialId, TrialKey};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the record's form, raised when a reader of the old form would misread the new one.
pub const RECORD_SCHEMA: u32 = 1;

/// One attempt at one trial, ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`RECORD_SCHEMA`] of the writer.
    pub schema: u32,
    /// Which trial.
    pub trial: TrialKey,
    /// Its content identity.
    pub id: TrialId,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, where it is not `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// How its process ended, where one was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// When it started; absent for a trial that never did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<UtcTime>,
    /// When it ended.
    pub ended_at: UtcTime,
    /// The attempt's directory, relative to the data root.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dir: String,
    /// Where its files stand, where they are not in that directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packed: Option<Packed>,
    /// Where it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What was run; absent in records of versions that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// What it used.
    pub resources: Resources,
    /// One number per metric (a series stands here by its summary).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, Number>,
    /// The numbers of the iterations inside it, by metric, as they were measured; `metrics` has their means. Records of
    /// results that another tool measured have them; trials of ours keep theirs in a file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub samples: BTreeMap<String, Vec<Number>>,
    /// What the trial says about itself in words (`curriculum`: `arena-v2`), for the checks of fairness.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    /// The series behind those that are one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<String, SeriesInfo>,
    /// What it saved to go on from, and the parts before this one; absent for trials that do not say that they save.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// What a reader should know: truncated logs, unreadable metric lines, processes left behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The run and trial directory this record was taken over from, where the trial was not run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused_from: Option<String>,
}

impl Record {
    /// An attempt at a trial that ended at this time, of which nothing else is known yet.
    pub fn of(trial: TrialKey, id: TrialId, attempt: u32, ended_at: UtcTime) -> Self {
        Self {
            schema: RECORD_SCHEMA,
            trial,
            id,
            attempt,
            outcome: Outcome::Infra,
            cause: None,
            exit: None,
            started_at: None,
            ended_at,
            dir: String::new(),
            packed: None,
            host: None,
            code: None,
            resources: Resources::default(),
            metrics: BTreeMap::new(),
            samples: BTreeMap::new(),
            facts: BTreeMap::new(),
            series: BTreeMap::new(),
            checkpoint: None,
            notes: Vec::new(),
            reused_from: None,
        }
    }
}

/// What is kept in the record about a series; its points stay in the file that the trial wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesInfo {
    /// The file, relative to the attempt's directory.
    pub file: String,
    /// The key or column that its steps were read from; absent where the points are numbered in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// How many points.
    pub points: u64,
    /// Step of the first point.
    pub first_step: Number,
    /// Step of the last point.
    pub last_step: Number,
    /// How the one number in `metrics` was made from it (`last`, `auc 25%`, ...).
    pub summary: String,
    /// SHA-256 of the file as it was when the trial ended; only of files that are long enough for their curves to be packed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Whether the number is only the last step of a series that did not reach the threshold: it takes longer than that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_reached: bool,
}
