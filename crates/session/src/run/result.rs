//! What a run came to: its summary, its verdict, and how it ended for whoever waits for it.

use fairtrial_analysis::compare::SweepChoice;
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_analysis::{Comparison, Dataset, FailureKind, RunSummary};
use fairtrial_engine::RunReport;
use fairtrial_journal::RunStatus;
use fairtrial_spec::Spec;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a run came to.
#[derive(Debug)]
pub struct RunResult {
    /// How the engine left it.
    pub report: RunReport,
    /// Its spec.
    pub spec: Arc<Spec>,
    /// What was set over the spec's file.
    pub set: Vec<String>,
    /// Outcomes and numbers per task and arm.
    pub summary: RunSummary,
    /// Why trials did not end well, kind by kind.
    pub failures: Vec<FailureKind>,
    /// The looks of a run with a stopping rule.
    pub trajectory: Option<Trajectory>,
    /// The arms against the control.
    pub comparison: Option<Comparison>,
    /// What a sweep chose.
    pub choice: Option<SweepChoice>,
    /// What came of running that choice again; absent where the spec asks for no confirmation.
    pub confirmation: Option<ConfirmedBy>,
    /// The records as a dataset, where a sweep or arms need one.
    pub(super) data: Option<Dataset>,
}

/// What came of a confirmation.
#[derive(Debug)]
pub enum ConfirmedBy {
    /// This run.
    Run(Box<RunResult>),
    /// It was not made, for this reason.
    Nothing(String),
}

/// How a run ended for whoever waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// Everything is as asked.
    Fine,
    /// Trials failed.
    Failed,
    /// The engine or the machine failed.
    Machine,
    /// It was interrupted or cancelled.
    Interrupted,
}

impl RunResult {
    /// The whole as JSON, as commands print it and as programs that want to know are handed it.
    pub fn json(&self) -> Value {
        let report = &self.report;
        let confirmation = match &self.confirmation {
            None => Value::Null,
            Some(ConfirmedBy::Run(second)) => second.json(),
            Some(ConfirmedBy::Nothing(why)) => json!({ "error": why }),
        };
        json!({
            "name": report.run.name(), "stamp": report.run.stamp(), "dir": report.run.path(),
            "status": report.status, "trials": report.trials, "ran": report.ran, "kept": report.kept,
            "counts": report.counts, "summary": self.summary, "sequential": self.trajectory,
            "comparison": self.comparison, "choice": self.choice, "confirmation": confirmation,
        })
    }

    /// Whether every trial is done.
    pub fn is_complete(&self) -> bool {
        let report = &self.report;
        report.status == RunStatus::Finished && report.counts.total() == report.trials
    }

    /// How it ended, its confirmation included.
    pub fn end(&self) -> RunEnd {
        let own = end_of(&self.report);
        match &self.confirmation {
            Some(second) if own == RunEnd::Fine => match second {
                ConfirmedBy::Run(second) => second.end(),
                ConfirmedBy::Nothing(_) => RunEnd::Failed,
            },
            _ => own,
        }
    }
}

fn end_of(report: &RunReport) -> RunEnd {
    let counts = &report.counts;
    match report.status {
        RunStatus::Cancelled => RunEnd::Interrupted,
        RunStatus::Detached => RunEnd::Fine,
        _ if counts.failed + counts.timeout + counts.oom > 0 => RunEnd::Failed,
        _ if counts.infra > 0 => RunEnd::Machine,
        // By somebody else, at the scheduler.
        _ if counts.cancelled > 0 => RunEnd::Interrupted,
        _ if counts.skipped > 0 => RunEnd::Failed,
        _ => RunEnd::Fine,
    }
}
