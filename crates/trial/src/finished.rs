//! What came of a job, made into its record: how it ended, what it used, and what it reported.

use crate::checkpoint::look_at;
use crate::collect::{self, Collected, parts};
use crate::curves;
use crate::job::{JobLimits, TrialJob};
use crate::judge::{self, Verdict};
use crate::outputs::InputHashes;
use crate::wire::Ended;
use fairtrial_model::{Accepts, Cause, Checkpoint, MetricDeclaration, Outcome, Record, UtcTime};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A job that has ended and is not yet recorded.
#[derive(Debug)]
pub struct Finished {
    pub(crate) inputs: InputHashes,
    pub(crate) started_at: UtcTime,
    pub(crate) ended_at: UtcTime,
    pub(crate) end: End,
}

/// How it ended.
#[derive(Debug)]
pub(crate) enum End {
    /// The launcher says.
    Reported(Box<Ended>),
    /// The launcher is gone; so many processes outlived it.
    Lost { why: String, strays: usize },
}

impl Finished {
    /// How long the launcher was busy with it.
    pub fn took(&self) -> Duration {
        match &self.end {
            End::Reported(ended) => Duration::from_nanos(ended.busy_ns),
            End::Lost { .. } => Duration::MAX,
        }
    }

    /// What it said on standard output and error, taken out, where its logs were not written.
    pub fn take_held(&mut self) -> Option<[String; 2]> {
        match &mut self.end {
            End::Reported(ended) => ended.held.take(),
            End::Lost { .. } => None,
        }
    }

    /// Collects what the trial reported, and gives its record.
    pub fn record(self, job: TrialJob, host: Option<String>) -> Record {
        let asked = Asked {
            limits: &job.limits,
            program: job.argv.first().map_or("", String::as_str),
            metrics: &job.metrics,
            dir: &job.dir,
            accepts: job.timed.as_deref().map(|timed| &timed.accepts),
            earlier: job.checkpoint.as_ref().map_or(&[], |it| &it.earlier),
        };
        let mut record = Record {
            started_at: Some(self.started_at),
            dir: job.dir_in_data,
            host,
            code: job.code,
            checkpoint: job.checkpoint.as_ref().map(|checkpoint| Checkpoint {
                dir: checkpoint.dir_in_data.clone(),
                found: checkpoint.found,
                left: look_at(&checkpoint.dir),
                parts: Vec::new(),
            }),
            ..Record::of(job.key, job.id, job.attempt, self.ended_at)
        };
        match self.end {
            End::Reported(ended) => {
                complete(&mut record, asked, *ended);
                if record.outcome == Outcome::Ok
                    && let Err(cause) = job.makes.record(&job.dir, &self.inputs)
                {
                    record.outcome = Outcome::Failed;
                    record.cause = Some(cause);
                }
            }
            End::Lost { why, strays } => {
                record.outcome = Outcome::Infra;
                record.cause = Some(Cause::Lost {
                    message: format!("the trial launcher is gone ({why})"),
                });
                if strays > 0 {
                    let note = format!("{strays} processes outlived the launcher and were ended");
                    record.notes.push(note);
                }
            }
        }
        record
    }
}

/// What of a job its record is made by.
#[derive(Clone, Copy)]
struct Asked<'a> {
    limits: &'a JobLimits,
    program: &'a str,
    metrics: &'a [MetricDeclaration],
    dir: &'a Path,
    /// Which exit codes count, where that was said.
    accepts: Option<&'a Accepts>,
    /// Folders of the parts before this one.
    earlier: &'a [PathBuf],
}

/// Fills in how it ended, what it used and what it reported.
fn complete(record: &mut Record, asked: Asked<'_>, ended: Ended) {
    let Verdict {
        outcome,
        cause,
        exit,
    } = judge::judge(&ended, asked.limits, asked.program);
    record.outcome = outcome;
    record.cause = cause;
    record.exit = exit;
    if let (Some(accepts), Some(Cause::ExitCode { code })) = (asked.accepts, &record.cause)
        && accepts.code(*code)
    {
        (record.outcome, record.cause) = (Outcome::Ok, None);
    }
    record.resources = judge::resources(&ended);
    for (name, dropped) in ["standard output", "standard error"]
        .iter()
        .zip(ended.dropped)
    {
        if dropped > 0 {
            record.notes.push(format!(
                "{dropped} bytes of {name} were left out of its log"
            ));
        }
    }
    record.notes.extend(ended.notes);
    record.notes.extend(ended.log_failure.clone());
    if ended.failure.is_some() {
        return;
    }
    if asked.metrics.iter().any(collect::is_peak_memory) && collect::is_bound(&record.resources) {
        record.notes.push(
            "the peak of memory is below what can be seen here without control groups, so the metric has no value"
                .to_owned(),
        );
    }
    record
        .notes
        .extend(parts::join(asked.earlier, asked.dir, asked.metrics));
    // Most of those that are asked for nothing say nothing.
    let silent = !ended.reported && asked.metrics.is_empty() && asked.earlier.is_empty();
    let Collected {
        metrics,
        facts,
        series,
        missing,
        notes,
        unreadable,
    } = if silent {
        Collected::default()
    } else {
        collect::collect(asked.dir, asked.metrics, &record.resources)
    };
    record.metrics = metrics;
    record.facts = facts;
    judge::own_word(record);
    record.series = series;
    if !record.series.is_empty() {
        curves::pack(&mut record.series, asked.dir, asked.metrics);
    }
    record.notes.extend(notes);
    if let Some(unreadable) = unreadable.filter(|_| record.outcome == Outcome::Ok) {
        record.outcome = Outcome::Infra;
        record.cause = Some(Cause::Lost {
            message: format!("the trial's files could not be read: {unreadable}"),
        });
    }
    if record.outcome == Outcome::Ok && !missing.is_empty() {
        record.outcome = Outcome::Failed;
        record.cause = Some(Cause::MissingMetric { metrics: missing });
    }
    if let Some(failure) = ended.log_failure {
        blame_the_machine(record, &failure);
    }
}

/// A trial that failed where its files could not be written (a full disk) failed because of the machine: its own
/// results had no place either. One that ended otherwise keeps its outcome.
pub fn blame_the_machine(record: &mut Record, failure: &str) {
    if record.outcome == Outcome::Failed {
        record.outcome = Outcome::Infra;
        record.cause = Some(Cause::Lost {
            message: format!("the trial's files could not be written: {failure}"),
        });
    }
}
