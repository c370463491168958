//! One trial as other tools see it: the keys of the original manifest first, ours after them.

use crate::root::DataRoot;
use crate::run_dir::RunDir;
use fairtrial_model::{Exit, Outcome, Params};
use fairtrial_spec::{Spec, Task, Work};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

/// What a row takes of a record. Times, numbers and causes look the same in both, so they stay the text that they are:
/// a run of 100,000 trials ends sooner.
#[derive(Debug, Deserialize)]
pub(super) struct Kept<'a> {
    #[serde(borrow)]
    pub(super) trial: KeptKey<'a>,
    attempt: u32,
    pub(super) outcome: Outcome,
    #[serde(borrow, default)]
    cause: Option<&'a RawValue>,
    #[serde(default)]
    exit: Option<Exit>,
    #[serde(borrow, default)]
    started_at: Option<&'a RawValue>,
    #[serde(borrow)]
    ended_at: &'a RawValue,
    #[serde(borrow, default)]
    dir: Cow<'a, str>,
    #[serde(borrow)]
    resources: KeptResources<'a>,
    #[serde(borrow, default)]
    metrics: KeptMetrics<'a>,
}

/// The metrics of a record; one without any says nothing of them, where a row says that there are none.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(transparent)]
struct KeptMetrics<'a>(#[serde(borrow)] Option<&'a RawValue>);

impl Serialize for KeptMetrics<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(metrics) => metrics.serialize(to),
            None => to.serialize_map(Some(0))?.end(),
        }
    }
}

/// The trial of a record, as far as a row shows it.
#[derive(Debug, Deserialize)]
pub(super) struct KeptKey<'a> {
    index: u64,
    #[serde(borrow)]
    pub(super) task: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) arm: Option<Cow<'a, str>>,
    #[serde(default)]
    point: Params,
    seed: u64,
    #[serde(default)]
    rollout: u32,
}

#[derive(Debug, Deserialize)]
struct KeptResources<'a> {
    #[serde(rename = "wall_s", borrow, default)]
    wall: Option<&'a RawValue>,
}

/// A result in `manifest.json` and `task_results/`.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    pub(super) task_dir: &'a str,
    pub(super) run_dir: String,
    run_id: String,
    /// `launched` where a process ran and ended with 0, as the original has it.
    status: &'static str,
    /// Exit code; minus the signal's number; null where nothing was started.
    launch_rc: Option<i32>,
    task: &'a str,
    arm: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    seed: u64,
    rollout: u32,
    params: Params,
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a RawValue>,
    attempt: u32,
    started_at: Option<&'a RawValue>,
    ended_at: &'a RawValue,
    wall_s: Option<&'a RawValue>,
    metrics: KeptMetrics<'a>,
}

/// Looks up what the spec knows about a record's trial.
pub(super) struct Rows<'a> {
    run: &'a RunDir,
    tasks: HashMap<&'a str, Vec<&'a Task>>,
    arms: HashMap<&'a str, &'a Params>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(run: &'a RunDir, spec: &'a Spec) -> Self {
        let mut tasks: HashMap<&str, Vec<&Task>> = HashMap::new();
        for task in &spec.tasks {
            tasks.entry(&task.id).or_default().push(task);
        }
        let arms = spec.arms.iter().map(|arm| (arm.name.as_str(), &arm.params));
        Self {
            run,
            tasks,
            arms: arms.collect(),
        }
    }

    /// The row of a record.
    pub(super) fn row<'r>(&'r self, record: &'r Kept<'r>) -> Row<'r> {
        let trial = &record.trial;
        let task = self.task(record);
        let launch_rc = record.exit.map(return_code);
        let dir = self.dir(record);
        Row {
            task_dir: task.and_then(prepared_dir).unwrap_or(&trial.task),
            run_id: dir.rsplit('/').next().unwrap_or_default().to_owned(),
            run_dir: self.run.root().outward(&dir),
            status: if launch_rc == Some(0) {
                "launched"
            } else {
                "launch_failed"
            },
            launch_rc,
            task: &trial.task,
            arm: trial.arm.as_deref(),
            model: self.model(record, task),
            seed: trial.seed,
            rollout: trial.rollout,
            params: self.params(record, task),
            outcome: record.outcome,
            cause: record.cause,
            attempt: record.attempt,
            started_at: record.started_at,
            ended_at: record.ended_at,
            wall_s: record.resources.wall,
            metrics: record.metrics,
        }
    }

    /// The attempt's directory; for a trial that never started, the one that it would have had.
    fn dir<'r>(&self, record: &'r Kept<'r>) -> Cow<'r, str> {
        if record.dir.is_empty() {
            let index = record.trial.index;
            DataRoot::trial_dir_relative(self.run.stamp(), index, record.attempt).into()
        } else {
            Cow::Borrowed(&record.dir)
        }
    }

    /// The task of that id which belongs to the record's arm, or to every arm.
    fn task(&self, record: &Kept<'_>) -> Option<&'a Task> {
        let same_id = self.tasks.get(&*record.trial.task)?;
        let of_arm = |task: &&&Task| {
            task.arm.is_none() || task.arm.as_deref() == record.trial.arm.as_deref()
        };
        same_id.iter().find(of_arm).copied()
    }

    fn model<'r>(&'r self, record: &Kept<'_>, task: Option<&'r Task>) -> Option<&'r str> {
        let declared = || self.arm_params(record)?.get("model")?.as_str();
        match task.map(|task| &task.work) {
            Some(Work::Prepared { model, .. }) => Some(model),
            _ => declared(),
        }
    }

    /// The task's parameters, under the arm's, under the sweep point's.
    fn params(&self, record: &Kept<'_>, task: Option<&Task>) -> Params {
        let mut params = task.map(|task| task.params.clone()).unwrap_or_default();
        if let Some(arm) = self.arm_params(record) {
            params.merge(arm);
        }
        params.merge(&record.trial.point);
        params
    }

    fn arm_params(&self, record: &Kept<'_>) -> Option<&'a Params> {
        let arm = record.trial.arm.as_deref()?;
        self.arms.get(arm).copied()
    }
}

fn prepared_dir(task: &Task) -> Option<&str> {
    match &task.work {
        Work::Prepared { dir, .. } => Some(dir),
        _ => None,
    }
}

/// As Python's `subprocess` says it, which the original's readers expect.
fn return_code(exit: Exit) -> i32 {
    match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => -signal,
    }
}
