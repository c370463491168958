//! Trials with a registered experiment: their program is this very binary as the experiment's driver.

use crate::driver_line::DriverLine;
use fairtrial_driver::{DriveTask, DriveTrial, TASK_SCHEMA};
use fairtrial_journal::RunDir;
use fairtrial_plan::{Placement, Trial};
use fairtrial_spec::{Spec, Task, Work};
use std::path::{Path, PathBuf};

/// The hidden argument with which the binary becomes the driver of an experiment.
const DRIVER_ARGUMENT: &str = "__experiment";
/// Where result files go where the spec does not say.
const DEFAULT_OUTPUT: &str = "benchmarks/results";

/// Makes the command lines of drivers.
pub(crate) struct DriverLines {
    line: DriverLine,
    run: RunDir,
    output_dir: PathBuf,
    base_dir: PathBuf,
    spec: SpecWords,
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
            line: DriverLine::new(program, DRIVER_ARGUMENT, run.path().join("experiments")),
            output_dir: output_dir(run, spec),
            run: run.clone(),
            base_dir: PathBuf::from(&spec.base_dir),
            spec: SpecWords {
                source: spec.source.clone(),
                sources: spec.experiments.clone(),
                tags: spec.tags.clone(),
                notes: spec.notes.clone(),
            },
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
        let own = DriveTrial {
            key: trial.key.clone(),
            id: trial.id(),
            attempt: placement.attempt,
            name: placement.trial.to_owned(),
            dir: PathBuf::from(placement.dir),
            params: trial.params.clone(),
        };
        let argv = self.line.argv(trial.task, || self.task(trial.task), &own)?;
        Ok(Some(argv))
    }

    fn task(&self, task: &Task) -> Result<DriveTask, String> {
        let Work::Experiment {
            slug,
            warmup,
            measured,
            instruments,
            origin,
            min_time_s,
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
            min_time_s: *min_time_s,
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
