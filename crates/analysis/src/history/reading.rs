//! What one run says: its means, and how they were measured.

use crate::compare::method::kind::is_timing;
use crate::dataset::{Dataset, FactKind};
use crate::error::AnalysisError;
use crate::finished::Unfinished;
use crate::summary::summarize_state;
use fairtrial_journal::provenance::{Environment, Vcs};
use fairtrial_journal::{ResolvedSpecError, RunDir, RunState, is_there, resolved_spec};
use fairtrial_model::{Direction, MetricDeclaration, Params, Stamp};
use fairtrial_stats::{Level, descriptive, one_arm::mean_interval};
use std::collections::BTreeMap;

/// Facts about a machine that change how fast it is.
const SPEED: [&str; 5] = ["host", "cpu", "cores", "machine", "gpus"];

/// What one run says.
#[derive(Debug, Clone)]
pub struct RunReading {
    /// Its stamp; of a table, the revision.
    pub run: String,
    /// When it began, where that is known: runs are ordered by it.
    pub stamp: Option<Stamp>,
    /// The commit that was measured.
    pub commit: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// Whether the files differed from the commit.
    pub dirty: bool,
    /// The machine's name.
    pub host: Option<String>,
    /// Whether its trials ran different versions of the code.
    pub mixed: bool,
    pub(super) cells: Vec<CellReading>,
}

/// One metric of one task, arm and point.
#[derive(Debug, Clone)]
pub(super) struct CellReading {
    pub(super) task: String,
    pub(super) arm: Option<String>,
    pub(super) point: Params,
    pub(super) metric: MetricDeclaration,
    /// Whether the spec declares it.
    pub(super) declared: bool,
    pub(super) direction: Option<Direction>,
    pub(super) mean: f64,
    pub(super) interval: Option<[f64; 2]>,
    pub(super) n: usize,
    pub(super) missing: usize,
    /// How it was measured.
    pub(super) conditions: BTreeMap<String, String>,
}

/// Why a run has no points.
#[derive(Debug)]
pub enum NoReading {
    /// It is none of those that count.
    Skipped(String),
    /// Its files cannot be read.
    Failed(AnalysisError),
}

impl<E: Into<AnalysisError>> From<E> for NoReading {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl RunReading {
    /// Of a finished run.
    pub fn of_run(run: &RunDir, environment: Option<&Environment>) -> Result<Self, NoReading> {
        let spec = match resolved_spec(run) {
            Err(
                error @ (ResolvedSpecError::Absent(_) | ResolvedSpecError::OtherVersion { .. }),
            ) => {
                return Err(NoReading::Skipped(error.to_string()));
            }
            known => known?,
        };
        if !is_there(&run.journal())? {
            return Err(NoReading::Skipped("it never began".to_owned()));
        }
        let state = RunState::read(&run.journal())?;
        if let Some(why) = Unfinished::of_state(&state) {
            // The mean of a part of a run is no point of its history.
            return Err(NoReading::Skipped(why.to_string()));
        }
        let data = Dataset::of_state(run, &state, (&spec, environment))?;
        let summary = summarize_state(run, &state, &spec)?;
        let mut cells = Vec::new();
        for cell in &summary.cells {
            for metric in &cell.metrics {
                let Some(numbers) = metric.numbers else {
                    continue;
                };
                let range = metric.interval.as_ref().map(|range| &range.interval);
                cells.push(CellReading {
                    interval: range.map(|range| [range.low, range.high]),
                    mean: numbers.mean,
                    n: metric.n,
                    missing: metric.missing.total(),
                    ..CellReading::of(
                        &data,
                        &metric.metric,
                        (&cell.task, cell.arm.as_deref(), &cell.point),
                    )
                });
            }
        }
        let vcs = environment.and_then(|environment| match &environment.vcs {
            Vcs::Git(state) => Some(state),
            Vcs::Unknown { .. } => None,
        });
        let commit = data
            .facts
            .iter()
            .find(|fact| fact.kind == FactKind::Source && fact.name == "commit");
        let commit = commit
            .map(|fact| fact.value.clone())
            .filter(|commit| commit != "none");
        Ok(Self {
            run: run.stamp().to_string(),
            stamp: Some(run.stamp()),
            commit,
            branch: vcs.and_then(|vcs| vcs.branch.clone()),
            dirty: vcs.is_some_and(|vcs| vcs.dirty == Some(true)),
            host: environment.map(|environment| environment.host.name.clone()),
            mixed: data.mixed.is_some(),
            cells,
        })
    }

    /// Of a results table as it stands in a revision of its repository.
    pub fn of_table(revision: &str, data: &Dataset) -> Self {
        let mut values: BTreeMap<(usize, u32, u32, u32), Vec<f64>> = BTreeMap::new();
        let names = data.metric_names();
        for (place, name) in names.iter().enumerate() {
            for (trial, value) in data.trials.iter().zip(data.values(name)) {
                if let Some(value) = value.filter(|value| value.is_finite()) {
                    let key = (place, trial.task, trial.arm, trial.point);
                    values.entry(key).or_default().push(value);
                }
            }
        }
        let cell = |((place, task, arm, point), values): ((usize, u32, u32, u32), Vec<f64>)| {
            let of = (
                data.tasks.get(task).as_str(),
                data.arms.get(arm).as_deref(),
                &data.point_values[point as usize],
            );
            let range = mean_interval(&values, Level::two_sided(0.05)).ok();
            CellReading {
                mean: descriptive::describe(&values).map_or(f64::NAN, |found| found.mean),
                interval: range.map(|range| [range.interval.low, range.interval.high]),
                n: values.len(),
                ..CellReading::of(data, &names[place], of)
            }
        };
        Self {
            run: revision.get(..10).unwrap_or(revision).to_owned(),
            stamp: None,
            commit: Some(revision.to_owned()),
            branch: None,
            dirty: false,
            host: None,
            mixed: false,
            cells: values.into_iter().map(cell).collect(),
        }
    }
}

impl CellReading {
    /// A metric of a task, arm and point with how it was measured, still without its numbers.
    fn of(data: &Dataset, metric: &str, (task, arm, point): (&str, Option<&str>, &Params)) -> Self {
        let declared = data.declaration(metric).map(std::borrow::Cow::into_owned);
        let declaration = declared
            .clone()
            .unwrap_or_else(|| MetricDeclaration::named(metric));
        let of_task = [format!("task {task}: "), format!("task {task} runs")];
        let of_arm = arm.map(|arm| format!("arm {arm}: "));
        let mut conditions = BTreeMap::new();
        for fact in &data.facts {
            let belongs = match fact.kind {
                FactKind::Parameters => of_task
                    .iter()
                    .chain(&of_arm)
                    .any(|start| fact.name.starts_with(start.as_str())),
                FactKind::Machine => is_timing(&declaration) && SPEED.contains(&fact.name.as_str()),
                FactKind::Task => fact.name == task,
                FactKind::Definition => fact.name == metric,
                FactKind::Implementation => true,
                FactKind::Seeds | FactKind::Source | FactKind::DirtyTree | FactKind::Code => false,
            };
            if belongs {
                conditions.insert(fact.name.clone(), fact.value.clone());
            }
        }
        Self {
            task: task.to_owned(),
            arm: arm.map(str::to_owned),
            point: point.clone(),
            direction: declaration.direction,
            // The clocks of a worker have a direction, too, and nobody declared them.
            declared: data.declares(metric),
            metric: declaration,
            mean: f64::NAN,
            interval: None,
            n: 0,
            missing: 0,
            conditions,
        }
    }
}
