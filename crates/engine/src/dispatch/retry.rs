//! Which outcomes are tried again, and how often.

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

/// Whether an attempt ended in a way that another would too.
pub(super) fn is_permanent(record: &Record) -> bool {
    matches!(
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
}
