//! Which outcomes are tried again, and how often.

use super::Dispatch;
use fairtrial_journal::TrialState;
use fairtrial_model::{Cause, Outcome, Record};
use fairtrial_plan::Plan;
use fairtrial_spec::Retries;

/// How many further attempts follow an outcome.
pub(super) fn allowed(retries: &Retries, outcome: Outcome) -> u32 {
    match outcome {
        Outcome::Infra => retries.infra,
        Outcome::Failed => retries.failed,
        Outcome::Timeout => retries.timeout,
        Outcome::Oom => retries.oom,
        Outcome::Ok | Outcome::Cancelled | Outcome::Skipped => 0,
    }
}

/// Whether an earlier session ended before it could try a failed trial again.
pub(super) fn retry_is_due(plan: &Plan, index: u64, trial: &TrialState) -> bool {
    let Some(outcome) = trial.outcome.filter(|outcome| outcome.is_arm_failure()) else {
        return false;
    };
    let task = plan.task(index);
    task.is_some_and(|task| u32::from(trial.arm_failures) <= allowed(&task.retries, outcome))
}

impl Dispatch {
    /// Whether another attempt follows this one.
    pub(super) fn shall_retry(&self, record: &Record) -> bool {
        if self.stop.is_some()
            || self.budget.is_given_out()
            || matches!(
                record.cause,
                Some(
                    Cause::Launch {
                        permanent: true,
                        ..
                    } | Cause::Said {
                        permanent: true,
                        ..
                    }
                )
            )
        {
            return false;
        }
        let Some(task) = self.plan.task(record.trial.index) else {
            return false;
        };
        let allowed = allowed(&task.retries, record.outcome);
        self.retried.get(&record.trial.index).copied().unwrap_or(0) < allowed
    }
}
