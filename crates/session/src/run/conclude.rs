//! From the records of a run to its result: the summary, the views on disk, the verdict.

use super::execute::Executed;
use super::result::RunResult;
use super::stopping_rule::WatchedRule;
use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use crate::summary::write_summary;
use fairtrial_analysis::compare::{SweepChoice, choose_declared};
use fairtrial_analysis::{
    CompareOptions, Comparison, Dataset, Inputs, Unfinished, compare, failure_kinds, summarize_run,
};
use fairtrial_engine::RunRequest;
use fairtrial_journal::{RunState, RunStatus};
use fairtrial_spec::Spec;
use std::sync::Arc;

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
        if !report.run.root().is_passing() {
            write_summary(&report.run, &spec, &summary, &self.caller().redactor())?;
        }
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
        if let Some(assumed) = &data.assumed {
            self.tell(Notice::Assumed(assumed.clone()));
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
