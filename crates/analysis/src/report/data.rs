//! Everything that a report shows.

use super::curves::MetricCurves;
use super::density::MetricDensity;
use super::distribution::MetricDistribution;
use super::failures::FailureList;
use super::frontier::CostFrontier;
use super::history::MetricHistory;
use super::masked_text::MaskedText;
use super::overview::{MetricProfile, MetricShares};
use super::pairs::ArmPairs;
use super::task_grid::TaskGrid;
use super::trials::TrialColumns;
use crate::compare::ranking::sweep::SweepChoice;
use crate::compare::result::Comparison;
use crate::confirm::Confirmation;
use crate::dataset::kept_source::KeptSource;
use crate::finished::Unfinished;
use crate::ran_code::CodeGroup;
use crate::registration::Registered;
use crate::sensitivity::Sensitivity;
use crate::sequential::Trajectory;
use crate::summary::RunSummary;
use fairtrial_journal::RunStatus;
use fairtrial_journal::provenance::Environment;
use fairtrial_model::{Stamp, UtcTime};
use serde::Serialize;

/// Version of the report's JSON form.
pub const REPORT_SCHEMA: u32 = 1;

/// Everything that a report shows.
#[derive(Debug, Clone, Serialize)]
pub struct ReportData {
    /// [`REPORT_SCHEMA`].
    pub schema: u32,
    /// The run.
    pub run: RunFacts,
    /// The evidence, by its hash.
    pub journal: JournalDigest,
    /// Whether the analysis is the registered one.
    pub registered: Registered,
    /// The arms against the control; absent where nothing is compared or the run stopped by looking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// Why there is no comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_no_comparison: Option<String>,
    /// The looks of a sequential run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential: Option<Trajectory>,
    /// What a sweep chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<SweepChoice>,
    /// Whether the spec has it run again on fresh seeds. That run is no evidence of this one, and may come later.
    #[serde(skip)]
    pub confirmation: Option<Confirmation>,
    /// What the swept parameters do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<Sensitivity>,
    /// How the trials ended and what they measured.
    pub summary: RunSummary,
    /// Learning curves.
    pub curves: Vec<MetricCurves>,
    /// Values by arm.
    pub distributions: Vec<MetricDistribution>,
    /// How times are spread, of single iterations where there are some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub densities: Vec<MetricDensity>,
    /// The differences of the primary metric, pair by pair.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<ArmPairs>,
    /// The arms in the order of the spec, by which all charts draw them alike.
    #[serde(skip)]
    pub arms: Vec<String>,
    /// The primary metric by task and arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<TaskGrid>,
    /// What the arms of agent tasks cost, against what they reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontier: Option<CostFrontier>,
    /// Performance profile of the primary metric over several tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<MetricProfile>,
    /// Several metrics at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<MetricShares>,
    /// The primary metric over the runs before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<MetricHistory>,
    /// The trials that did not end well.
    pub failures: FailureList,
    /// All trials.
    pub trials: TrialColumns,
    /// The texts in which secrets of the maker's environment were masked. They are no evidence, and stand in the seal.
    #[serde(skip)]
    pub masked: Vec<MaskedText>,
    /// The trials by the commit that they ran; empty where that is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CodeGroup>,
    /// What was kept of a source with uncommitted changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_source: Option<KeptSource>,
    /// Where it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// What was left out of the charts, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ReportData {
    /// The runs that its history shows.
    pub fn history_runs(&self) -> Vec<Stamp> {
        let histories = self.history.iter();
        let mut stamps: Vec<Stamp> = histories.flat_map(MetricHistory::stamps).collect();
        stamps.sort_unstable();
        stamps.dedup();
        stamps
    }
}

/// What a run is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunFacts {
    /// The benchmark.
    pub name: String,
    /// The run.
    pub stamp: Stamp,
    /// The spec's path as the user gave it.
    pub spec: String,
    /// SHA-256 of the spec's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec_sha256: Option<String>,
    /// The plan's hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
    /// Version of Fairtrial that ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// When it was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<UtcTime>,
    /// When its last controller ended, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<(UtcTime, RunStatus)>,
    /// `--set` arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// The `--only` filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// The commands of a bench, which has no spec.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bench: Vec<String>,
    /// Free text of the spec.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// Free tags of the spec.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

impl RunFacts {
    /// Why the run is not judged; nothing where it is finished.
    pub fn unfinished(&self) -> Option<Unfinished> {
        Unfinished::of(self.closed.map(|(_, status)| status))
    }
}

/// The journal by its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct JournalDigest {
    /// How many bytes.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: String,
}
