//! Trials with an agent task: their program is this very binary as the rollout's driver, which keeps the time of each
//! phase itself.

use crate::driver_line::DriverLine;
use fairtrial_agent::baseline::Baseline;
use fairtrial_agent::rollout::{RolloutTask, RolloutTrial, TASK_SCHEMA};
use fairtrial_agent::sandbox::GivenCaps;
use fairtrial_journal::{DataRoot, RunDir};
use fairtrial_plan::{Placement, Trial};
use fairtrial_spec::{Task, Work};
use std::path::{Path, PathBuf};

/// The hidden argument with which the binary becomes the driver of a rollout.
const DRIVER_ARGUMENT: &str = "__rollout";

/// Makes the command lines of rollouts.
pub(crate) struct RolloutLines {
    line: DriverLine,
    run: RunDir,
}

/// Where the baselines of tasks are kept.
pub fn task_cache(root: &DataRoot) -> PathBuf {
    root.path().join("cache")
}

/// Where logs and locks of image builds are kept.
pub fn image_cache(root: &DataRoot) -> PathBuf {
    task_cache(root).join("images")
}

fn folder(run: &RunDir) -> PathBuf {
    run.path().join("agents")
}

impl RolloutLines {
    pub(crate) fn new(program: &Path, run: &RunDir) -> Self {
        Self {
            line: DriverLine::new(program, DRIVER_ARGUMENT, folder(run)),
            run: run.clone(),
        }
    }

    /// Program and arguments for one attempt; absent for a trial that is no rollout.
    pub(crate) fn argv(
        &self,
        trial: &Trial<'_>,
        placement: &Placement<'_>,
    ) -> Result<Option<Vec<String>>, String> {
        if !is_rollout(trial.task) {
            return Ok(None);
        }
        let own = RolloutTrial {
            name: placement.trial.to_owned(),
            dir: PathBuf::from(placement.dir),
            key: trial.key.clone(),
            attempt: placement.attempt,
            params: trial.params.clone(),
            scoring: None,
        };
        let argv = self
            .line
            .argv(trial.task, || self.shared(trial.task), &own)?;
        Ok(Some(argv))
    }

    fn shared(&self, task: &Task) -> Result<RolloutTask, String> {
        let Work::Prepared {
            dir,
            model,
            options,
            digest,
            ..
        } = &task.work
        else {
            return Err("it is no agent task".to_owned());
        };
        let Some(digest) = digest else {
            return Err(format!("nobody looked into the agent task {dir}"));
        };
        Ok(RolloutTask {
            schema: TASK_SCHEMA,
            baseline: Baseline::of(&task_cache(self.run.root()), digest)
                .dir()
                .to_owned(),
            images: image_cache(self.run.root()),
            prepared_dir: dir.clone(),
            model: model.clone(),
            options: (**options).clone(),
            spec_env: task.env.keys().cloned().collect(),
            timeout_s: task.limits.wall_s,
            caps: GivenCaps::of(&task.limits, options),
            log_limit: task.log_limit,
            run: self.run.stamp().to_string(),
            gates: self.line.folder().join("gates"),
        })
    }
}

/// Whether a task is worked on by an agent.
pub(crate) fn is_rollout(task: &Task) -> bool {
    matches!(task.work, Work::Prepared { .. })
}
