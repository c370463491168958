//! A run for other tools: as a table, in another tool's form, or into the user's own tracker.

use crate::error::SessionError;
use crate::session::Session;
use fairtrial_analysis::curves::series_of;
use fairtrial_interop::{Form, Outgoing, Rows, SeedMeaning, SeriesRow, Shape, Target, push};
use fairtrial_journal::{JournalError, RunDir, RunState, effective_records, resolved_spec};
use fairtrial_model::{MetricDeclaration, Record};
use fairtrial_spec::{Spec, Work};
use std::time::Duration;

/// How long a tracker's client may take: a run of its own for each trial, over any network.
const PUSH_LIMIT: Duration = Duration::from_hours(24);

/// What is exported, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportQuestion {
    /// The format's name.
    pub to: String,
    /// What a row is, for tables.
    pub shape: Shape,
    /// Whether metrics are columns, for tables.
    pub form: Form,
}

impl ExportQuestion {
    /// Whether points of curves are part of the answer.
    pub(crate) fn is_about_curves(&self) -> Result<bool, SessionError> {
        Ok(match Target::named(&self.to)? {
            Target::Table(_) => self.shape == Shape::Series,
            Target::Text(_) => false,
            Target::Tracker(_) => true,
        })
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exported {
    /// A file's content.
    File(Vec<u8>),
    /// What the tracker's client says.
    Pushed(String),
}

impl Session {
    /// Exports a run. Iterations, which trials of ours keep in files, are only those of imported runs.
    pub fn export(
        &self,
        run: &RunDir,
        question: &ExportQuestion,
    ) -> Result<Exported, SessionError> {
        let target = Target::named(&question.to)?;
        let spec = resolved_spec(run)?;
        let state = RunState::read(&run.journal())?;
        let mut records = Vec::new();
        effective_records(&run.journal(), &state, |record| {
            records.push(record);
            Ok::<(), JournalError>(())
        })?;
        if spec.tasks.iter().all(|task| task.timed.is_some()) {
            // Commands of a bench ran in turns, and are told in the order in which they were typed.
            records.sort_by_key(|record: &Record| {
                let arm = record.trial.arm.as_ref();
                spec.arms.iter().position(|known| Some(&known.name) == arm)
            });
        }
        let mut metrics = spec.metrics.clone();
        let primary = spec.analysis.metric.as_deref();
        metrics.sort_by_key(|metric| Some(metric.name.as_str()) != primary);
        let outgoing = Outgoing {
            name: run.name(),
            stamp: &run.stamp().to_string(),
            seeds: seeds(&spec),
            metrics: &metrics,
            records: &records,
        };
        match target {
            Target::Text(writer) => Ok(Exported::File(writer.write(&outgoing)?.into_bytes())),
            Target::Table(kind) => {
                let series = match question.shape {
                    Shape::Series => series(run, &records, &metrics)?,
                    Shape::Trials | Shape::Samples => Vec::new(),
                };
                let rows = Rows::of(&outgoing, (question.shape, question.form), &series);
                Ok(Exported::File(kind.bytes(&rows)?))
            }
            Target::Tracker(tracker) => {
                let series = series(run, &records, &metrics)?;
                let mut access = self.access();
                access.limit = PUSH_LIMIT;
                let said = push(&outgoing, &series, tracker, &access)?;
                Ok(Exported::Pushed(said))
            }
        }
    }
}

/// What the seeds of a run are: those of timings that another tool made number processes.
fn seeds(spec: &Spec) -> SeedMeaning {
    match spec.tasks.first().map(|task| &task.work) {
        Some(Work::Imported { pairs: false, .. }) => SeedMeaning::Process,
        _ => SeedMeaning::Shared,
    }
}

/// The points of every curve that a trial left.
fn series(
    run: &RunDir,
    records: &[Record],
    declared: &[MetricDeclaration],
) -> Result<Vec<SeriesRow>, SessionError> {
    let mut rows = Vec::new();
    for (place, record) in records.iter().enumerate() {
        let dir = run.root().path().join(&record.dir);
        for metric in record.series.keys().filter(|_| !record.dir.is_empty()) {
            let declaration = declared.iter().find(|declared| declared.name == *metric);
            let (steps, values) = series_of(&dir, metric, declaration)?;
            rows.extend(
                steps
                    .into_iter()
                    .zip(values)
                    .map(|(step, value)| SeriesRow {
                        record: place,
                        metric: metric.clone(),
                        step,
                        value,
                    }),
            );
        }
    }
    Ok(rows)
}
