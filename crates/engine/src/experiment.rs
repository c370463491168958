//! Trials with a registered experiment: their program is this very binary as the experiment's driver.

use fairtrial_driver::{DriveTask, DriveTrial, TASK_SCHEMA};
use fairtrial_journal::{Durability, RunDir, write_atomic_bytes};
use fairtrial_plan::{Placement, Trial};
use fairtrial_spec::{Spec, Task, Work};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The hidden argument with which the binary becomes the driver of an experiment.
const DRIVER_ARGUMENT: &str = "__experiment";
/// Where result files go where the spec does not say.
const DEFAULT_OUTPUT: &str = "benchmarks/results";

/// Makes the command lines of drivers.
pub(crate) struct DriverLines {
    program: PathBuf,
    run: RunDir,
    output_dir: PathBuf,
    base_dir: PathBuf,
    spec: SpecWords,
    /// The task files that are there, by the task's place in the source.
    written: Mutex<HashMap<usize, PathBuf>>,
}

/// What result files repeat of the spec.
struct SpecWords {
    source: String,
    sources: fairtrial_experiment::Sources,
    tags: Vec<String>,
    notes: String,
}

/// The folder that a spec's result files go to: relative to the folder that holds the data folder.
pub fn output_dir(run: &RunDir, spec: &Spec) -> PathBuf {
    let data = run.root().path();
    let project = data.parent().unwrap_or(data);
    project.join(spec.output_dir.as_deref().unwrap_or(DEFAULT_OUTPUT))
}

impl DriverLines {
    pub(crate) fn new(program: &Path, run: &RunDir, spec: &Spec) -> Self {
        Self {
            program: program.to_owned(),
            output_dir: output_dir(run, spec),
            run: run.clone(),
            base_dir: PathBuf::from(&spec.base_dir),
            spec: SpecWords {
                source: spec.source.clone(),
                sources: spec.experiments.clone(),
                tags: spec.tags.clone(),
                notes: spec.notes.clone(),
            },
            written: Mutex::default(),
        }
    }

    /// Program and arguments for one attempt; absent for a trial that is no experiment.
    pub(crate) fn argv(
        &self,
        trial: &Trial<'_>,
        placement: &Placement<'_>,
    ) -> Result<Option<Vec<String>>, String> {
        let Work::Experiment { .. } = &trial.task.work else {
            return Ok(None);
        };
        let task = self.task_file(trial.task)?;
        let own = DriveTrial {
            key: trial.key.clone(),
            id: trial.id(),
            attempt: placement.attempt,
            name: placement.trial.to_owned(),
            dir: PathBuf::from(placement.dir),
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

    /// The file with what all trials of a task share, written once.
    fn task_file(&self, task: &Task) -> Result<PathBuf, String> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = written.get(&task.place) {
            return Ok(path.clone());
        }
        let folder = self.run.path().join("experiments");
        let path = folder.join(format!("{}.json", task.place));
        let text =
            serde_json::to_vec_pretty(&self.task(task)?).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        write_atomic_bytes(&path, Durability::Process, &text).map_err(|error| error.to_string())?;
        written.insert(task.place, path.clone());
        Ok(path)
    }

    fn task(&self, task: &Task) -> Result<DriveTask, String> {
        let Work::Experiment {
            slug,
            warmup,
            measured,
            instruments,
            origin,
        } = &task.work
        else {
            return Err("it is no experiment".to_owned());
        };
        let Some(origin) = origin else {
            return Err(format!(
                "nobody looked where the experiment `{slug}` comes from"
            ));
        };
        Ok(DriveTask {
            schema: TASK_SCHEMA,
            experiment: slug.clone(),
            origin: origin.clone(),
            sources: self.spec.sources.clone(),
            warmup: *warmup,
            measured: *measured,
            instruments: instruments.clone(),
            base_dir: self.base_dir.clone(),
            output_dir: self.output_dir.clone(),
            run: self.run.stamp().to_string(),
            environment: self.run.environment(),
            data_root: self.run.root().path().to_owned(),
            spec: self.spec.source.clone(),
            tags: self.spec.tags.clone(),
            notes: self.spec.notes.clone(),
        })
    }
}
