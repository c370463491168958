//! Warm-ups: a program runs a few times before its first trial, and nothing of that is kept.

use crate::attempt::Attempts;
use crate::error::EngineError;
use fairtrial_model::Outcome;
use fairtrial_plan::Plan;
use fairtrial_trial::TrialRunner;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The number of an attempt that is none.
const NO_ATTEMPT: u32 = 0;

/// Which programs of a run are warm already.
#[derive(Debug, Default)]
pub(crate) struct WarmUps(Mutex<HashSet<(usize, Option<String>, String)>>);

impl WarmUps {
    /// Warms up what a trial runs, unless that was done, with a launcher that is started for it; says what went wrong.
    pub(crate) fn before(
        &self,
        attempts: &Attempts,
        plan: &Plan,
        index: u64,
        start: impl FnOnce() -> Result<TrialRunner, EngineError>,
    ) -> Result<(), EngineError> {
        let trial = plan.trial(index).filter(|trial| trial.task.warmup > 0);
        let Some(trial) = trial else { return Ok(()) };
        let point = trial.key.point.to_string();
        let what = (trial.task.place, trial.key.arm.clone(), point);
        let mut warm = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !warm.insert(what) {
            return Ok(());
        }
        // Held until it is warm: another slot would else measure the same program beside it.
        let mut runner = start()?;
        for _ in 0..trial.task.warmup {
            let job = attempts.jobs.job(plan, index, NO_ATTEMPT)?;
            // One that was cut off may have left its folder.
            let _ = std::fs::remove_dir_all(&job.dir);
            let ran = attempts.run(&mut runner, job);
            let Ok((dir, record)) = ran else { continue };
            let _ = std::fs::remove_dir_all(dir);
            if record.outcome != Outcome::Ok {
                let how = record.cause.map(|cause| cause.to_string());
                return Err(EngineError::Around {
                    what: "warmup",
                    message: how.unwrap_or_else(|| record.outcome.to_string()),
                });
            }
        }
        Ok(())
    }
}
