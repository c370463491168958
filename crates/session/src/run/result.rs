//! What a run came to: its summary, its verdict, the views on disk, and how it ended for whoever waits for it.

use super::execute::Executed;
use super::stopping_rule::WatchedRule;
use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use crate::summary::write_summary;
use fairtrial_analysis::compare::{SweepChoice, choose_declared};
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_analysis::{
    CompareOptions, Comparison, Dataset, FailureKind, Inputs, RunSummary, Unfinished, compare,
    failure_kinds, summarize_run,
};
use fairtrial_engine::{RunReport, RunRequest};
use fairtrial_journal::{RunState, RunStatus};
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

impl Session {
    /// Reads the records (unless their summary is there already), writes the views, and finds the verdict.
    pub(super) fn result(
        &self,
        Executed { report, summary }: Executed,
        request: &RunRequest,
        rule: Option<&WatchedRule>,
    ) -> Result<RunResult, SessionError> {
        let spec = Arc::clone(request.plan.spec());
        if report.status == RunStatus::Error {
            let why = report.stopped.as_ref().map(ToString::to_string);
            return Err(SessionError::Broken(why.unwrap_or_default()));
        }
        let summary = match summary {
            Some(summary) => summary,
            None => summarize_run(&report.run, &spec)?,
        };
        write_summary(&report.run, &spec, &summary, &self.caller().redactor())?;
        let failures = if report.counts.ok == report.counts.total() {
            Vec::new()
        } else {
            failure_kinds(&report.run, &RunState::read(&report.run.journal())?)?
        };
        let trajectory = rule.map(|rule| rule.trajectory(&report.run)).transpose()?;
        let judged = Unfinished::of(Some(report.status)).is_none();
        let swept = spec.is_swept();
        let data = (judged && (swept || spec.arms.len() > 1))
            .then(|| self.open_run(&report.run).map(|trials| trials.data))
            .transpose()?;
        let comparison = data
            .as_ref()
            .and_then(|data| self.compare_arms(data, &spec))
            .map(|comparison| match &trajectory {
                // Its verdict is in the trajectory; a plain interval would ignore the looks.
                Some(trajectory) => comparison.without_metric(&trajectory.metric),
                None => comparison,
            });
        let swept = data.as_ref().filter(|_| swept);
        let choice = swept.and_then(|data| self.choose_point(data, &spec));
        Ok(RunResult {
            report,
            spec,
            set: request.set.clone(),
            summary,
            failures,
            trajectory,
            comparison,
            choice,
            confirmation: None,
            data,
        })
    }

    /// The arms of a finished run against its control; absent where the spec compares nothing. Why there is no verdict
    /// is told.
    fn compare_arms(&self, data: &Dataset, spec: &Spec) -> Option<Comparison> {
        if spec.arms.len() < 2 {
            return None;
        }
        compare(Inputs::Arms(data), &CompareOptions::declared(spec))
            .map_err(|error| self.tell(Notice::NoVerdict(error)))
            .ok()
    }

    /// The best point of a sweep; where none can be named, why is told.
    fn choose_point(&self, data: &Dataset, spec: &Spec) -> Option<SweepChoice> {
        choose_declared(data, spec)
            .map_err(|error| self.tell(Notice::NoBest(error.to_string())))
            .ok()
    }
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
