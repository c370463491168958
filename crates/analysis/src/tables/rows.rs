//! From a run's records to the rows of a table: the mean over a row's trials, and which rows must be left alone.
//!
//! Only the run's own files are read, so it does not matter where its trials ran.

use crate::error::AnalysisError;
use fairtrial_journal::{JournalError, RunDir, RunState, effective_records};
use fairtrial_model::{Outcome, Record, UtcTime};
use fairtrial_plan::{Plan, PlanError};
use fairtrial_spec::{Order, Spec, TableColumn, Task};
use fairtrial_stats::descriptive::sum;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A row that the suite feeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteRow {
    /// Its key.
    pub key: String,
    /// Former keys.
    pub was: Vec<String>,
    /// The task that feeds it.
    pub task: String,
}

/// A row that a run feeds.
#[derive(Debug, Clone)]
pub struct RunRow {
    /// The row.
    pub row: SuiteRow,
    /// Its trials that have a record.
    pub trials: Vec<RowTrial>,
    /// Whether it can be written.
    pub standing: Standing,
}

/// One trial behind a row.
#[derive(Debug, Clone)]
pub struct RowTrial {
    /// Place in the plan.
    pub index: u64,
    /// Its seed.
    pub seed: u64,
    /// Its repetition under the seed.
    pub rollout: u32,
    /// The attempt's directory, relative to the data root.
    pub dir: String,
    /// Where it ran.
    pub host: Option<String>,
    /// When it ended.
    pub ended_at: UtcTime,
    /// Its numbers.
    pub metrics: BTreeMap<String, f64>,
}

/// Whether a row can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// All its trials ended well.
    Ready,
    /// All ended well, but they ran only a part of the episodes.
    Part(String),
    /// It stays as it is, for this reason.
    Left(String),
}

impl RunRow {
    /// The mean of a metric over the row's trials; nothing where one of them has no value.
    pub fn mean(&self, metric: &str) -> Option<f64> {
        let values: Option<Vec<f64>> = self
            .trials
            .iter()
            .map(|trial| trial.metrics.get(metric).copied())
            .collect();
        let values = values.filter(|values| !values.is_empty())?;
        Some(sum(values.iter().copied()) / values.len() as f64)
    }

    /// The mean in the unit of a column.
    pub fn value(&self, column: &TableColumn) -> Option<f64> {
        let mean = self.mean(&column.metric)?;
        Some(
            column
                .convert
                .as_ref()
                .map_or(mean, |convert| convert.apply(mean)),
        )
    }
}

/// The rows that a suite feeds into a table, in the suite's order.
pub fn suite_rows(spec: &Spec, table: &str) -> Result<Vec<SuiteRow>, AnalysisError> {
    let mut in_order = spec.clone();
    in_order.order = Order::Spec;
    let plan = Plan::new(Arc::new(in_order), None)?;
    let mut rows: Vec<SuiteRow> = Vec::new();
    for trial in plan.trials() {
        let Some(row) = fed(&trial, table)? else {
            continue;
        };
        match rows.iter().find(|known| known.key == row.key) {
            Some(known) if known.task != row.task => {
                return Err(AnalysisError::Question(format!(
                    "the tasks `{}` and `{}` both feed the row `{}`: give one of them another `row`",
                    known.task, row.task, row.key
                )));
            }
            Some(_) => {}
            None => rows.push(row),
        }
    }
    Ok(rows)
}

impl From<PlanError> for AnalysisError {
    fn from(error: PlanError) -> Self {
        Self::Question(error.to_string())
    }
}

/// The row that a trial feeds.
fn fed(trial: &fairtrial_plan::Trial<'_>, table: &str) -> Result<Option<SuiteRow>, AnalysisError> {
    let Some(feeds) = trial
        .task
        .feeds
        .as_ref()
        .filter(|feeds| feeds.table == table)
    else {
        return Ok(None);
    };
    let key = trial
        .expand(&feeds.row, None)
        .map_err(|error| AnalysisError::Question(format!("row of `{}`: {error}", trial.task.id)))?;
    Ok(Some(SuiteRow {
        key,
        was: feeds.was.clone(),
        task: trial.task.id.clone(),
    }))
}

/// The rows that a run feeds into a table, in the suite's order. `spec` is the run's own.
pub fn run_rows(run: &RunDir, spec: &Spec, table: &str) -> Result<Vec<RunRow>, AnalysisError> {
    let suite = suite_rows(spec, table)?;
    let state = RunState::read(&run.journal())?;
    let only = state.opened.as_ref().and_then(|opened| opened.only.clone());
    let plan = Plan::new(Arc::new(spec.clone()), only.as_deref())?;
    let mut records: BTreeMap<u64, Record> = BTreeMap::new();
    effective_records(&run.journal(), &state, |record: Record| {
        records.insert(record.trial.index, record);
        Ok::<(), JournalError>(())
    })?;
    let mut found: BTreeMap<String, RunRow> = BTreeMap::new();
    for trial in plan.trials() {
        let Some(row) = fed(&trial, table)? else {
            continue;
        };
        let entry = found.entry(row.key.clone()).or_insert_with(|| RunRow {
            standing: subset(trial.task).map_or(Standing::Ready, Standing::Part),
            row,
            trials: Vec::new(),
        });
        let reason = match records.remove(&trial.key.index) {
            None => Some("not every trial was run".to_owned()),
            Some(record) if record.outcome == Outcome::Ok => {
                entry.trials.push(row_trial(record));
                None
            }
            Some(record) => Some(ending(&record)),
        };
        if let Some(reason) = reason {
            entry.standing = Standing::Left(reason);
        }
    }
    let in_order = suite.into_iter();
    Ok(in_order.filter_map(|row| found.remove(&row.key)).collect())
}

/// A part of the episodes is not the experiment.
fn subset(task: &Task) -> Option<String> {
    let episodes = task.episodes.as_deref()?.trim();
    let all = episodes.is_empty() || episodes == ":" || episodes.eq_ignore_ascii_case("all");
    (!all).then(|| format!("only the episodes {episodes} were run"))
}

fn ending(record: &Record) -> String {
    let cause = record
        .cause
        .as_ref()
        .map_or_else(String::new, |cause| format!(": {cause}"));
    format!("{}{cause}", record.outcome)
}

fn row_trial(record: Record) -> RowTrial {
    let series = record.series;
    // Steps of a trial that did not reach its threshold are a bound, and a cell holds a number.
    let bound = |name: &str| series.get(name).is_some_and(|series| series.not_reached);
    RowTrial {
        index: record.trial.index,
        seed: record.trial.seed,
        rollout: record.trial.rollout,
        dir: record.dir,
        host: record.host,
        ended_at: record.ended_at,
        metrics: record
            .metrics
            .into_iter()
            .filter(|(name, _)| !bound(name))
            .map(|(name, value)| (name, value.0))
            .collect(),
    }
}
