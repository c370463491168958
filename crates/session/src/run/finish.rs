//! After a run: its result, its files, the confirmation where the spec asks for one, and who wants to know.

use super::execute::Executed;
use super::hooks::ToldWhen;
use super::result::{ConfirmedBy, RunEnd, RunResult};
use super::stopping_rule::WatchedRule;
use crate::error::SessionError;
use crate::events::Event;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_engine::{Controls, RunReport, RunRequest};
use fairtrial_journal::RunStatus;
use std::time::Duration;

/// A run that its controller has left.
pub(super) struct Ran<'a> {
    pub(super) executed: Executed,
    pub(super) request: &'a RunRequest,
    pub(super) rule: Option<&'a WatchedRule>,
    pub(super) took: Duration,
}

impl Session {
    /// The result of a run, with everything that follows from it.
    pub(super) fn finish(
        &self,
        ran: Ran<'_>,
        controls: &Controls,
    ) -> Result<RunResult, SessionError> {
        let Ran {
            executed,
            request,
            rule,
            took,
        } = ran;
        let report = executed.report.clone();
        let mut result = self
            .result(executed, request, rule)
            .inspect_err(|error| self.tell_of_failure(&report, request, error))?;
        self.hear(Event::Result(&result));
        if report.status != RunStatus::Detached {
            self.write_experiment_files(&result)?;
        }
        if result.spec.analysis.confirm.is_some() && result.is_complete() {
            result.confirmation = Some(self.confirmation(&result, request, took, controls)?);
        }
        self.hand_on(&result);
        Ok(result)
    }

    /// Runs the choice of a sweep again on fresh seeds.
    fn confirmation(
        &self,
        sweep: &RunResult,
        request: &RunRequest,
        took: Duration,
        controls: &Controls,
    ) -> Result<ConfirmedBy, SessionError> {
        let request = match super::confirm::request(sweep, request, took) {
            Ok(request) => request,
            Err(error) => {
                let why = error.to_string();
                self.tell(Notice::NotConfirmed(why.clone()));
                return Ok(ConfirmedBy::Nothing(why));
            }
        };
        self.tell(super::confirm::announcement(&request));
        let executed = self.execute(&request, controls)?;
        let second = self.result(executed, &request, None)?;
        self.hear(Event::Result(&second));
        Ok(ConfirmedBy::Run(Box::new(second)))
    }

    /// Hands the result to the spec's reporters, and tells those who want to know how the run ended.
    fn hand_on(&self, result: &RunResult) {
        let (spec, report) = (&result.spec, &result.report);
        // A run that goes on without us has not ended.
        if report.status == RunStatus::Detached {
            return;
        }
        if !spec.reporters.is_empty() && report.status == RunStatus::Finished {
            match self.report_data(&report.run, None) {
                Ok(data) => self.run_reporters(&report.run, spec, &data),
                Err(error) => self.warn(format!("no report for the reporters: {error}")),
            }
        }
        let ended = matches!(report.status, RunStatus::Finished | RunStatus::Budget);
        if ended && spec.on_finish.is_some() {
            self.run_hook(spec, ToldWhen::Finished, &result.json());
        }
        if (!ended || result.end() != RunEnd::Fine) && spec.on_failure.is_some() {
            self.run_hook(spec, ToldWhen::Failed, &result.json());
        }
    }

    /// Tells `on_failure` of a run whose records could not be kept or read.
    fn tell_of_failure(&self, report: &RunReport, request: &RunRequest, error: &SessionError) {
        let summary = serde_json::json!({
            "name": report.run.name(), "stamp": report.run.stamp(), "dir": report.run.path(),
            "status": report.status, "trials": report.trials, "counts": report.counts, "error": error.to_string(),
        });
        self.run_hook(request.plan.spec(), ToldWhen::Failed, &summary);
    }
}
