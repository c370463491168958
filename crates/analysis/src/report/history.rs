//! The primary metric over the runs of a benchmark, and where its level changed.

use super::Evidence;
use crate::AnalysisError;
use crate::summary::summarize_state;
use fairtrial_journal::{RunDir, RunState, RunStatus, is_there, list_runs, read_if_there};
use fairtrial_model::Stamp;
use fairtrial_spec::Spec;
use fairtrial_stats::history::{ChangePoint, Options, calibrated_threshold, change_points};
use serde::Serialize;

/// Runs that a history needs, and shows at most.
const FEWEST: usize = 6;
const MOST: usize = 50;
/// False alarms that are accepted, in shares of unchanged histories.
const FALSE_ALARMS: f64 = 0.01;
/// Unchanged histories that are simulated to find the threshold, and their seed.
const SIMULATED: (usize, u64) = (1000, 0);

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
    pub why: &'static str,
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
            false_alarms: FALSE_ALARMS,
        })
        .collect();
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

fn add(run: &RunDir, metric: &str, found: &mut [MetricHistory]) -> Result<(), AnalysisError> {
    let spec = read_if_there(&run.resolved_spec())?;
    // A run of another version, or one that never began, has no part in it.
    let Some(spec) = spec.and_then(|text| serde_json::from_slice::<Spec>(&text).ok()) else {
        return Ok(());
    };
    if !is_there(&run.journal())? {
        return Ok(());
    }
    let state = RunState::read(&run.journal())?;
    if !matches!(state.closed(), Some((_, RunStatus::Finished))) {
        // The mean of a part of a run is no point of its history.
        for history in found {
            history.without.push(RunWithout {
                stamp: run.stamp(),
                why: "not finished",
            });
        }
        return Ok(());
    }
    let summary = summarize_state(run, &state, &spec)?;
    for history in found {
        let mut cells = summary.cells.iter().filter(|cell| cell.arm == history.arm);
        let (Some(cell), None) = (cells.next(), cells.next()) else {
            continue;
        };
        let of = cell.metrics.iter().find(|cell| cell.metric == metric);
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
                why: "without a value",
            });
        }
    }
    Ok(())
}

/// Changes at a threshold at which hardly any unchanged history of this length shows one.
fn changes(history: &MetricHistory) -> Vec<ChangePoint> {
    let means: Vec<f64> = history.runs.iter().map(|run| run.mean).collect();
    let options = Options::new(0.001);
    let calibrated = calibrated_threshold(means.len(), &options, FALSE_ALARMS, SIMULATED);
    let found = calibrated.and_then(|calibrated| change_points(&means, &calibrated.options));
    found.map(|found| found.points).unwrap_or_default()
}
