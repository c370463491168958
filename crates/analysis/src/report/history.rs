//! The primary metric over the runs of a benchmark, and where its level changed.

use super::evidence::Evidence;
use crate::compare::data::definition;
use crate::error::AnalysisError;
use crate::finished::Unfinished;
use crate::summary::summarize_state;
use fairtrial_journal::{ResolvedSpecError, RunDir, RunState, is_there, list_runs, resolved_spec};
use fairtrial_model::{MetricDeclaration, Stamp};
use fairtrial_spec::Spec;
use fairtrial_stats::history::{ChangePoint, SegmentOptions, level_changes};
use serde::Serialize;

/// Runs that a history needs, and shows at most.
const FEWEST: usize = 6;
const MOST: usize = 50;

/// The history of one arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricHistory {
    /// The metric.
    pub metric: String,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The arm; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// The runs, oldest first.
    pub runs: Vec<RunPoint>,
    /// Runs that have no point here, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<RunWithout>,
    /// Where the level changed.
    pub changes: Vec<ChangePoint>,
    /// The share of unchanged histories that would show a change.
    pub false_alarms: f64,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunPoint {
    /// The run.
    pub stamp: Stamp,
    /// The mean.
    pub mean: f64,
    /// Its interval, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// How many trials it is over.
    pub n: usize,
    /// How many of its trials have no value; the mean is over the others.
    #[serde(skip_serializing_if = "is_zero")]
    pub missing: usize,
}

/// A run without a point, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunWithout {
    /// The run.
    pub stamp: Stamp,
    /// Why it has none.
    pub why: NoPoint,
}

/// Why a run has no point in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum NoPoint {
    /// None of its trials has a value.
    #[serde(rename = "without a value")]
    NoValue,
    /// It is not finished.
    #[serde(rename = "not finished")]
    Unfinished,
    /// It made the metric's numbers in another way than the newest.
    #[serde(rename = "made in another way")]
    MadeDifferently,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl MetricHistory {
    /// All runs that were looked at.
    pub(super) fn stamps(&self) -> impl Iterator<Item = Stamp> {
        let with = self.runs.iter().map(|run| run.stamp);
        with.chain(self.without.iter().map(|run| run.stamp))
    }
}

/// The histories of the arms, for a benchmark with one task and no sweep that was run often enough. `only` names the
/// runs of a report that is made again.
pub(super) fn histories(
    evidence: &Evidence<'_>,
    only: Option<&[Stamp]>,
) -> Result<Vec<MetricHistory>, AnalysisError> {
    let spec = evidence.spec;
    let metric = spec.primary_metric().map(str::to_owned);
    let Some(metric) = metric.filter(|_| !spec.is_swept() && spec.tasks.len() == 1) else {
        return Ok(Vec::new());
    };
    let runs = runs(evidence.run, only)?;
    if runs.len() < FEWEST {
        return Ok(Vec::new());
    }
    let arms: Vec<Option<String>> = if spec.arms.is_empty() {
        vec![None]
    } else {
        spec.arms.iter().map(|arm| Some(arm.name.clone())).collect()
    };
    let mut found: Vec<MetricHistory> = arms
        .into_iter()
        .map(|arm| MetricHistory {
            metric: metric.clone(),
            unit: evidence
                .data
                .declaration(&metric)
                .and_then(|declared| declared.unit.clone()),
            arm,
            runs: Vec::new(),
            without: Vec::new(),
            changes: Vec::new(),
            false_alarms: SegmentOptions::default().alpha,
        })
        .collect();
    let metric = declared(spec, &metric);
    for run in &runs {
        add(run, &metric, &mut found)?;
    }
    found.retain(|history| history.runs.len() >= FEWEST);
    for history in &mut found {
        history.changes = changes(history);
    }
    Ok(found)
}

/// The runs of the same benchmark up to this one, oldest first.
fn runs(run: &RunDir, only: Option<&[Stamp]>) -> Result<Vec<RunDir>, AnalysisError> {
    let mut runs: Vec<RunDir> = list_runs(run.root())?
        .into_iter()
        .filter(|other| other.name() == run.name() && other.stamp() <= run.stamp())
        .filter(|other| only.is_none_or(|only| only.contains(&other.stamp())))
        .collect();
    runs.sort_by_key(RunDir::stamp);
    let before = runs.len().saturating_sub(MOST);
    runs.drain(..before);
    Ok(runs)
}

/// How a run's spec declares a metric; what it does not declare is read as trials report it.
fn declared(spec: &Spec, metric: &str) -> MetricDeclaration {
    let mut declared = spec.metrics.iter();
    let known = declared.find(|declared| declared.name == metric);
    known.map_or_else(
        || MetricDeclaration::named(metric),
        MetricDeclaration::reduced,
    )
}

fn add(
    run: &RunDir,
    metric: &MetricDeclaration,
    found: &mut [MetricHistory],
) -> Result<(), AnalysisError> {
    let spec = match resolved_spec(run) {
        // One that never began measured nothing; what another version measured need not mean the same.
        Err(ResolvedSpecError::Absent(_) | ResolvedSpecError::OtherVersion { .. }) => return Ok(()),
        // One that cannot be read may have been the change.
        known => known?,
    };
    if !is_there(&run.journal())? {
        return Ok(());
    }
    let state = RunState::read(&run.journal())?;
    let why = if Unfinished::of_state(&state).is_some() {
        // The mean of a part of a run is no point of its history.
        Some(NoPoint::Unfinished)
    } else if definition::changes(&declared(&spec, &metric.name), metric).is_empty() {
        None
    } else {
        // One series of numbers that are made in two ways would change its level where nothing else did.
        Some(NoPoint::MadeDifferently)
    };
    if let Some(why) = why {
        let stamp = run.stamp();
        for history in found {
            history.without.push(RunWithout { stamp, why });
        }
        return Ok(());
    }
    let summary = summarize_state(run, &state, &spec)?;
    for history in found {
        let mut cells = summary.cells.iter().filter(|cell| cell.arm == history.arm);
        let (Some(cell), None) = (cells.next(), cells.next()) else {
            continue;
        };
        let mut metrics = cell.metrics.iter();
        let of = metrics.find(|cell| cell.metric == metric.name);
        if let Some((of, numbers)) = of.and_then(|of| Some((of, of.numbers?))) {
            history.runs.push(RunPoint {
                stamp: run.stamp(),
                mean: numbers.mean,
                interval: of
                    .interval
                    .as_ref()
                    .map(|range| [range.interval.low, range.interval.high]),
                n: of.n,
                missing: of.missing.total(),
            });
        } else {
            history.without.push(RunWithout {
                stamp: run.stamp(),
                why: NoPoint::NoValue,
            });
        }
    }
    Ok(())
}

/// Changes that hardly any unchanged history shows.
fn changes(history: &MetricHistory) -> Vec<ChangePoint> {
    let means: Vec<f64> = history.runs.iter().map(|run| run.mean).collect();
    let found = level_changes(&means, &SegmentOptions::default());
    found.map(|found| found.points).unwrap_or_default()
}
