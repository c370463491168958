//! Trials with an agent task: their program is this very binary as the rollout's driver, which keeps the time of each
//! phase itself.

use fairtrial_agent::rollout::{RolloutTask, RolloutTrial, TASK_SCHEMA};
use fairtrial_journal::{DataRoot, Durability, RunDir, write_atomic_bytes};
use fairtrial_plan::{Placement, Trial};
use fairtrial_spec::{Task, Work};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The hidden argument with which the binary becomes the driver of a rollout.
const DRIVER_ARGUMENT: &str = "__rollout";
/// Seconds for an agent whose spec does not say.
const AGENT_TIMEOUT: f64 = 3600.0;
/// The variable with which the original's users say how long an agent may take.
const TIMEOUT_VARIABLE: &str = "TIMEOUT_SEC";

/// Makes the command lines of rollouts.
pub(crate) struct RolloutLines {
    program: PathBuf,
    run: RunDir,
    /// The task files that are there, by the task's place in the source.
    written: Mutex<HashMap<usize, PathBuf>>,
}

/// Where the baselines of tasks are kept.
pub fn task_cache(root: &DataRoot) -> PathBuf {
    root.path().join("cache")
}

/// The file in a run's folder with what the rollouts of a task share.
pub fn rollout_task_file(run: &RunDir, task: &Task) -> PathBuf {
    run.path()
        .join("agents")
        .join(format!("{}.json", task.place))
}

impl RolloutLines {
    pub(crate) fn new(program: &Path, run: &RunDir) -> Self {
        Self {
            program: program.to_owned(),
            run: run.clone(),
            written: Mutex::default(),
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
        let task = self.task_file(trial.task)?;
        let own = RolloutTrial {
            name: placement.trial.to_owned(),
            dir: PathBuf::from(placement.dir),
            key: trial.key.clone(),
            params: trial.params.clone(),
        };
        let own = serde_json::to_string(&own).map_err(|error| error.to_string())?;
        Ok(Some(vec![
            self.program.display().to_string(),
            DRIVER_ARGUMENT.to_owned(),
            task.display().to_string(),
            own,
        ]))
    }

    /// The file with what all rollouts of a task share, written once.
    fn task_file(&self, task: &Task) -> Result<PathBuf, String> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = written.get(&task.place) {
            return Ok(path.clone());
        }
        let path = rollout_task_file(&self.run, task);
        let folder = self.run.path().join("agents");
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let shared = self.shared(task, &folder)?;
        let text = serde_json::to_vec_pretty(&shared).map_err(|error| error.to_string())?;
        write_atomic_bytes(&path, Durability::Process, &text).map_err(|error| error.to_string())?;
        written.insert(task.place, path.clone());
        Ok(path)
    }

    fn shared(&self, task: &Task, folder: &Path) -> Result<RolloutTask, String> {
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
            baseline: task_cache(self.run.root()).join("tasks").join(digest),
            prepared_dir: dir.clone(),
            model: model.clone(),
            options: (**options).clone(),
            spec_env: task.env.keys().cloned().collect(),
            timeout_s: agent_timeout(task),
            log_limit: task.log_limit,
            run: self.run.stamp().to_string(),
            gates: folder.join("gates"),
        })
    }
}

/// Whether a task is worked on by an agent.
pub(crate) fn is_rollout(task: &Task) -> bool {
    matches!(task.work, Work::Prepared { .. })
}

fn agent_timeout(task: &Task) -> f64 {
    let variable = || task.env.get(TIMEOUT_VARIABLE)?.parse::<f64>().ok();
    let usable = |seconds: &f64| seconds.is_finite() && *seconds > 0.0 && *seconds < 1e9;
    task.limits
        .wall_s
        .or_else(|| variable().filter(usable))
        .unwrap_or(AGENT_TIMEOUT)
}
