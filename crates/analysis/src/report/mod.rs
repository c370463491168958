//! Everything that a report of one run shows, worked out from its evidence and from nothing else.
//!
//! The same evidence always gives the same [`ReportData`], so that `verify` can make it again and compare. Nothing in
//! it depends on the time, the machine or the folder in which a report is made; the secrets of an environment are masked
//! afterwards.

mod curves;
mod distribution;
mod failures;
mod history;
mod masking;
mod mean_curve;
mod overview;

pub use curves::{ArmCurve, CurvePoint, MetricCurves};
pub use distribution::{MetricDistribution, ValueGroup};
pub use failures::{FailedTrial, FailureList, LogTail};
pub use history::{MetricHistory, NoPoint, RunPoint, RunWithout};
pub use masking::MaskedText;
pub use overview::{ArmProfile, ArmShares, MetricProfile, MetricShares};

use crate::compare::comparison::compare;
use crate::compare::data::side::Inputs;
use crate::compare::options::CompareOptions;
use crate::compare::ranking::sweep::SweepChoice;
use crate::compare::ranking::sweep::choose_declared;
use crate::compare::result::Comparison;
use crate::confirm::Confirmation;
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use crate::finished::Unfinished;
use crate::observation::Observation;
use crate::ran_code::CodeGroup;
use crate::registration::{Registered, registered};
use crate::sensitivity::{Sensitivity, sensitivity};
use crate::sequential::{SequentialPlan, SequentialRule, Trajectory};
use crate::summary::{RunName, RunSummary, Summarizer, SummaryOptions};
use fairtrial_journal::provenance::Environment;
use fairtrial_journal::{
    JournalError, RunDir, RunState, RunStatus, effective_records, read_if_there,
};
use fairtrial_model::{Record, Stamp, UtcTime, hex};
use fairtrial_spec::Spec;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::Path;

/// Version of the report's JSON form.
pub const REPORT_SCHEMA: u32 = 1;

/// What a report is made with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportOptions {
    /// Runs whose history is shown; absent means the ones before this, newest 50.
    pub history: Option<Vec<Stamp>>,
}

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
    /// The texts in which secrets of the maker's environment were masked. They are no evidence, and stand in the seal.
    #[serde(skip)]
    pub masked: Vec<MaskedText>,
    /// The trials by the commit that they ran; empty where that is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CodeGroup>,
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

/// What all parts read.
pub(crate) struct Evidence<'a> {
    pub(crate) run: &'a RunDir,
    pub(crate) spec: &'a Spec,
    pub(crate) records: Vec<Record>,
    pub(crate) data: Dataset,
    pub(crate) alpha: f64,
}

impl Evidence<'_> {
    /// Whether a metric gets charts: one that is declared; all where none is.
    pub(crate) fn is_shown(&self, metric: &str) -> bool {
        let mut declared = self.spec.metrics.iter().peekable();
        declared.peek().is_none() || declared.any(|declared| declared.name == metric)
    }
}

/// Makes the report of a run. `environment` is the run's `environment.json`, where there is one.
pub fn report(
    run: &RunDir,
    spec: &Spec,
    environment: Option<Environment>,
    options: &ReportOptions,
) -> Result<ReportData, AnalysisError> {
    let state = RunState::read(&run.journal())?;
    let mut records = Vec::new();
    effective_records(&run.journal(), &state, |record| {
        records.push(record);
        Ok::<(), JournalError>(())
    })?;
    let data = Dataset::from_run(run, spec, environment.as_ref())?;
    let evidence = Evidence {
        run,
        spec,
        records,
        data,
        alpha: spec.analysis.alpha(),
    };
    let sequential = trajectory(&evidence)?;
    let (comparison, why_no_comparison) = compared(&evidence, &state, sequential.as_ref());
    let extended = evidence.data.extended.iter().chain(&evidence.data.mixed);
    let mut notes: Vec<String> = extended.map(|why| format!("Problem: {why}.")).collect();
    let registration = read_if_there(&run.registration())?;
    Ok(ReportData {
        schema: REPORT_SCHEMA,
        run: facts(run, spec, &state),
        journal: journal_digest(&run.journal())?,
        registered: registered(registration.as_deref(), spec, state.opened.as_ref()),
        summary: summary(&evidence, &state)?,
        confirmation: spec.is_swept().then(|| Confirmation::declared(spec)),
        choice: chosen(&evidence),
        sensitivity: effects(&evidence),
        curves: curves::curves(&evidence, &mut notes),
        distributions: distribution::distributions(&evidence, &mut notes),
        profile: overview::profile(&evidence),
        shares: comparison
            .as_ref()
            .and_then(|comparison| overview::shares(comparison, spec)),
        history: history::histories(&evidence, options.history.as_deref())?,
        failures: failures::failures(&evidence),
        masked: Vec::new(),
        comparison,
        why_no_comparison,
        commits: evidence.data.commits(),
        sequential,
        environment,
        notes,
    })
}

/// The comparison, or why there is none; beside the answer of a run that stopped by looking, what else there is. A run
/// that is not finished gets none.
fn compared(
    evidence: &Evidence<'_>,
    state: &RunState,
    sequential: Option<&Trajectory>,
) -> (Option<Comparison>, Option<String>) {
    let spec = evidence.spec;
    let no = |why: &str| (None, Some(why.to_owned()));
    if spec.arms.len() < 2 {
        return no("the spec has no arms to compare");
    }
    if Unfinished::of_state(state).is_some() {
        return no(Unfinished::no_verdict());
    }
    if let Some(loss) = &evidence.data.loss {
        return no(loss);
    }
    match compare(
        Inputs::Arms(&evidence.data),
        &CompareOptions::declared(spec),
    ) {
        Ok(comparison) => (
            Some(match sequential {
                Some(trajectory) => comparison.without_metric(&trajectory.metric),
                None => comparison,
            }),
            None,
        ),
        Err(error) => (None, Some(error.to_string())),
    }
}

/// A sweep's best point, where there is a sweep and a way that is better.
fn chosen(evidence: &Evidence<'_>) -> Option<SweepChoice> {
    let swept = evidence.spec.is_swept();
    swept
        .then(|| choose_declared(&evidence.data, evidence.spec).ok())
        .flatten()
}

/// What the swept parameters do to the declared metrics.
fn effects(evidence: &Evidence<'_>) -> Vec<Sensitivity> {
    if !evidence.spec.is_swept() {
        return Vec::new();
    }
    let metrics = evidence.spec.metrics.iter();
    metrics
        .filter_map(|metric| sensitivity(&evidence.data, Some(&metric.name), evidence.alpha).ok())
        .collect()
}

/// The looks of a sequential run, made again from its records.
fn trajectory(evidence: &Evidence<'_>) -> Result<Option<Trajectory>, AnalysisError> {
    let Some(rule) = evidence.spec.analysis.stop.clone() else {
        return Ok(None);
    };
    let plan = SequentialPlan::new(evidence.spec, rule)?;
    let mut rule = SequentialRule::new(evidence.spec, plan)?;
    for record in &evidence.records {
        rule.settled(record);
    }
    Ok(Some(rule.trajectory()))
}

fn summary(evidence: &Evidence<'_>, state: &RunState) -> Result<RunSummary, AnalysisError> {
    let mut summarizer = Summarizer::new(SummaryOptions::from(evidence.spec))?;
    for record in &evidence.records {
        summarizer.add(&Observation::from(record));
    }
    let mut summary = summarizer.finish();
    summary.run = Some(RunName {
        name: evidence.run.name().to_owned(),
        stamp: evidence.run.stamp(),
    });
    summary.planned = state.opened.as_ref().map(|opened| opened.trials);
    summary.problems = state.problem_sentences().collect();
    Ok(summary)
}

fn facts(run: &RunDir, spec: &Spec, state: &RunState) -> RunFacts {
    let opened = state.opened.as_ref();
    RunFacts {
        name: run.name().to_owned(),
        stamp: run.stamp(),
        spec: opened.map_or_else(|| spec.source.clone(), |opened| opened.config.clone()),
        spec_sha256: opened.map(|opened| opened.spec_sha256.clone()),
        plan_hash: opened.map(|opened| opened.plan_hash.clone()),
        version: opened.map(|opened| opened.version.clone()),
        created_at: opened.map(|opened| opened.created_at),
        closed: state.closed(),
        set: opened.map(|opened| opened.set.clone()).unwrap_or_default(),
        only: opened.and_then(|opened| opened.only.clone()),
        notes: spec.notes.clone(),
        tags: spec.tags.clone(),
    }
}

/// The hash of a journal as it is now.
pub fn journal_digest(path: &Path) -> Result<JournalDigest, AnalysisError> {
    digest_of_first(path, u64::MAX)
}

/// The hash of the first bytes of a journal: what a report saw of a run that went on.
pub fn digest_of_first(path: &Path, bytes: u64) -> Result<JournalDigest, AnalysisError> {
    let unreadable = |error: std::io::Error| AnalysisError::Content {
        label: path.display().to_string(),
        message: error.to_string(),
    };
    let mut file = std::fs::File::open(path).map_err(unreadable)?.take(bytes);
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 16];
    let mut total = 0;
    loop {
        let read = file.read(&mut chunk).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        hash.update(&chunk[..read]);
        total += read as u64;
    }
    Ok(JournalDigest {
        bytes: total,
        sha256: hex(&hash.finalize()),
    })
}
