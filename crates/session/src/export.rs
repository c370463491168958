//! A run for other tools: as a table, in another tool's form, or into the user's own tracker.

pub(crate) mod exported;
mod harbor;

use crate::error::SessionError;
use crate::session::Session;
use crate::summary::all_records;
use exported::Exported;
use fairtrial_analysis::AnalysisError;
use fairtrial_interop::{Form, Outgoing, Rows, SeedMeaning, SeriesRow, Shape, Target, push};
use fairtrial_journal::{RunDir, RunState, resolved_spec};
use fairtrial_model::{MetricDeclaration, Record};
use fairtrial_series::{Reading, TrialCurves};
use fairtrial_spec::{Spec, Work};
use fairtrial_text::count::counted;
use rayon::prelude::*;
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
            Target::Text(_) | Target::HarborJob => false,
            Target::Tracker(_) => true,
        })
    }
}

impl Session {
    /// Exports a run. Iterations, which trials of ours keep in files, are only those of imported runs.
    pub fn export(
        &self,
        run: &RunDir,
        question: &ExportQuestion,
    ) -> Result<Exported, SessionError> {
        let target = Target::named(&question.to)?;
        // A task for each sample of a log takes as long to read as the records, and is let go of here.
        let about = || {
            let spec = resolved_spec(run)?;
            let mut metrics = spec.metrics.clone();
            let primary = spec.analysis.metric.as_deref();
            metrics.sort_by_key(|metric| Some(metric.name.as_str()) != primary);
            let commands = spec.is_bench().then(|| {
                let each = spec.tasks.iter();
                let parameters = |task| spec.command_parameters(task).clone();
                each.map(|task| (task.arm.clone(), parameters(task)))
                    .collect::<Vec<_>>()
            });
            Ok::<_, SessionError>((seeds(&spec), metrics, commands))
        };
        let records = || {
            let state = RunState::read(&run.journal())?;
            Ok::<_, SessionError>((all_records(run, &state)?, state))
        };
        let (about, records) = rayon::join(about, records);
        let ((seeds, metrics, commands), (mut records, state)) = (about?, records?);
        self.tell_journal(run, &state);
        if let Some(commands) = &commands {
            // Commands of a bench ran in turns, and are told in the order in which they were typed.
            records.sort_by_key(|record: &Record| {
                let arm = &record.trial.arm;
                commands.iter().position(|(known, _)| known == arm)
            });
        }
        let outgoing = Outgoing {
            name: run.name(),
            stamp: &run.stamp().to_string(),
            seeds,
            metrics: &metrics,
            records: &records,
            commands: commands.as_deref(),
        };
        match target {
            Target::Text(writer) => {
                let text = writer.write(&outgoing)?;
                let left_out = writer.left_out(&outgoing)?;
                if left_out > 0 {
                    let trials = counted(left_out as u64, "trial");
                    self.warn(format!(
                        "{trials} without a number left out: the form has no place for them"
                    ));
                }
                Ok(Exported::File(text.into_bytes()))
            }
            Target::Table(kind) => {
                let series = match question.shape {
                    Shape::Series => series(run, &records, &metrics)?,
                    Shape::Trials | Shape::Samples => Vec::new(),
                };
                let rows = Rows::of(&outgoing, (question.shape, question.form), &series);
                let file = kind.bytes(&rows)?;
                // A tenth of the time is to take them apart again.
                records.into_par_iter().for_each(drop);
                Ok(Exported::File(file))
            }
            Target::HarborJob => harbor::job(run, &outgoing),
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
        let dir = run.folder_of(&record.dir);
        let metrics = record.series.keys().filter(|_| !record.dir.is_empty());
        let metrics: Vec<&str> = metrics.map(String::as_str).collect();
        let curves = TrialCurves {
            dir: &dir,
            series: &record.series,
            declared,
        };
        for (metric, series) in metrics.iter().zip(curves.open(&metrics, Reading::Columns)) {
            let series = series.map_err(AnalysisError::from)?;
            let points = series.points().map_err(AnalysisError::from)?;
            let points = points.steps.iter().zip(&points.values);
            rows.extend(points.map(|(step, value)| SeriesRow {
                record: place,
                metric: (*metric).to_owned(),
                step: *step,
                value: *value,
            }));
        }
    }
    Ok(rows)
}
