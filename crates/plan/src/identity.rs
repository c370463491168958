//! What a trial's result depends on, and the hashes of trials and plans.
//!
//! In: what the program is given and what may end it. Out: names of runs and directories, display, parallelism,
//! retries, checkpoints, how much of the logs is kept. Metrics are read after the fact, so they belong to the plan, not to a trial.

use crate::trial::Trial;
use fairtrial_model::{IDENTITY_VERSION, Identity, Sha256, TrialId, hex};
use fairtrial_spec::{Needs, Retries, Spec, Strategy, Sweep, Task, Work};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::io::Write as _;

/// Version of the rules that lead from a spec to a plan; part of the plan's hash.
pub const PLAN_VERSION: u32 = 1;

/// Version of the rules for plans with random draws, which once could make a point twice: a run of then is not resumed
/// with the draws of now.
const DRAWS_VERSION: u32 = 2;
/// The same for draws under constraints, which once were drawn first and left out later.
const ALLOWED_DRAWS_VERSION: u32 = 3;

impl Trial<'_> {
    /// What its result depends on, field by field.
    pub fn identity(&self) -> Identity {
        let mut fields = Vec::new();
        each_field(self, |name, value| {
            fields.push((name, String::from_utf8_lossy(value).into_owned()));
        });
        Identity(fields)
    }

    /// The hash of its identity; the index is not in it, so that a trial keeps its id when others come or go.
    pub fn id(&self) -> TrialId {
        let mut hash = Sha256::new();
        hash.update(format!("fairtrial trial {IDENTITY_VERSION}\n"));
        let mut head = Vec::new();
        each_field(self, |name, value| {
            head.clear();
            // Writing to memory cannot fail.
            let _ = writeln!(head, "{name} {}", value.len());
            hash.update(&head);
            hash.update(value);
        });
        TrialId(hex(&hash.finalize()[..16]))
    }
}

/// Shows every field in its fixed order, through one buffer: plans have millions of trials.
fn each_field(trial: &Trial<'_>, mut see: impl FnMut(&'static str, &[u8])) {
    let task = trial.task;
    let limits = &task.limits;
    let mut buffer = Vec::with_capacity(128);
    let mut field = |name, fill: &dyn Fn(&mut Vec<u8>)| {
        buffer.clear();
        fill(&mut buffer);
        see(name, &buffer);
    };
    let expanded = |text: &str| trial.expand(text, None).unwrap_or_else(|_| text.to_owned());
    field("task", &|to| to.extend(trial.key.task.bytes()));
    field("arm", &|to| {
        to.extend(trial.key.arm.as_deref().unwrap_or_default().bytes());
    });
    field("command", &|to| {
        let _ = match &task.work {
            Work::Command { .. } => {
                serde_json::to_writer(to, &trial.argv(None).unwrap_or_default())
            }
            other => serde_json::to_writer(to, other),
        };
    });
    field("params", &|to| {
        let _ = serde_json::to_writer(to, &trial.params);
    });
    field("seed", &shown(Some(trial.key.seed)));
    field("rollout", &shown(Some(trial.key.rollout)));
    field("env", &|to| {
        for (name, value) in &task.env {
            let _ = writeln!(to, "{name}={}", expanded(value));
        }
    });
    field("workdir", &|to| {
        to.extend(
            task.workdir
                .as_deref()
                .map(expanded)
                .unwrap_or_default()
                .bytes(),
        );
    });
    field("timeout", &shown(limits.wall_s));
    field("cpu_time", &shown(limits.cpu_s));
    field("memory", &shown(limits.memory_bytes));
    field("processes", &shown(limits.processes));
}

/// Writes a value, or nothing where there is none.
fn shown(value: Option<impl Display>) -> impl Fn(&mut Vec<u8>) {
    move |to| {
        let _ = value.as_ref().map(|value| write!(to, "{value}"));
    }
}

/// The tasks without what does not decide their results.
fn deciding_tasks(spec: &Spec) -> Vec<Task> {
    let mut tasks = spec.tasks.clone();
    for task in &mut tasks {
        task.place = 0;
        task.log_limit = 0;
        task.retries = Retries {
            infra: 0,
            failed: 0,
            timeout: 0,
            oom: 0,
        };
        task.limits.grace_s = 0.0;
        task.checkpoint = None;
        task.resources = Needs::default();
        task.threads = None;
    }
    tasks
}

/// Everything that decides the trials, their order and what is read from them, by the names that the spec has for it.
pub(crate) fn deciding(spec: &Spec) -> Map<String, Value> {
    let tasks = deciding_tasks(spec);
    let tasks = tasks.iter().map(|task| (task.id.clone(), value(task)));
    let metrics = spec.metrics.iter().map(|metric| {
        let mut read = vec![
            value(&metric.source),
            value(&metric.summary),
            value(&metric.required),
        ];
        read.extend(metric.step.as_ref().map(value));
        (metric.name.clone(), Value::Array(read))
    });
    let named = [
        ("seeds", value(&spec.seeds)),
        ("order", value(&spec.order)),
        ("order_seed", value(&spec.order_seed)),
        ("arms", value(&spec.arms)),
        ("sweep", value(&spec.sweep)),
        ("tasks", Value::Object(tasks.collect())),
        ("metrics", Value::Object(metrics.collect())),
    ];
    let named = named.into_iter();
    named
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn value(part: &impl Serialize) -> Value {
    serde_json::to_value(part).unwrap_or_default()
}

/// How a metric is read, for the hash. A spec that names no steps keeps the hash that it had before they could be named.
#[derive(Serialize)]
#[serde(untagged)]
enum ReadFrom<'a, P> {
    Plain(P),
    Over(P, &'a String),
}

/// Hash of everything that decides the trials, their order and what is read from them.
pub(crate) fn plan_hash(spec: &Spec, only: Option<&str>) -> String {
    let tasks = deciding_tasks(spec);
    let metrics: Vec<_> = spec
        .metrics
        .iter()
        .map(|metric| {
            let plain = (
                &metric.name,
                &metric.source,
                &metric.summary,
                metric.required,
            );
            match &metric.step {
                None => ReadFrom::Plain(plain),
                Some(step) => ReadFrom::Over(plain, step),
            }
        })
        .collect();
    let draws = |sweep: &Sweep| matches!(sweep.strategy, Strategy::Random { .. });
    let random = draws(&spec.sweep) || tasks.iter().any(|task| draws(&task.sweep));
    let constrained = tasks.iter().any(|task| !task.constraints.is_empty());
    let version = match (random, constrained) {
        (true, true) => ALLOWED_DRAWS_VERSION,
        (true, false) => DRAWS_VERSION,
        (false, _) => PLAN_VERSION,
    };
    let decides = (
        (version, IDENTITY_VERSION, only),
        (&spec.seeds, spec.order, spec.order_seed),
        (&tasks, &spec.arms, &spec.sweep, &metrics),
    );
    let text = serde_json::to_string(&decides).unwrap_or_default();
    hex(&Sha256::digest(text)[..16])
}
