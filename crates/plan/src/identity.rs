//! What a trial's result depends on, and the hashes of trials and plans.
//!
//! In: what the program is given and what may end it. Out: names of runs and directories, display, parallelism,
//! retries, how much of the logs is kept. Metrics are read after the fact, so they belong to the plan, not to a trial.

use crate::{PLAN_VERSION, Trial};
use fairtrial_model::{IDENTITY_VERSION, Identity, TrialId, hex};
use fairtrial_spec::{Needs, Retries, Spec, Work};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The identity of a trial.
pub(crate) fn identity(trial: &Trial<'_>) -> Identity {
    let task = trial.task;
    let command = match &task.work {
        Work::Command { .. } => {
            let words = trial.argv(None).unwrap_or_default();
            serde_json::to_string(&words).unwrap_or_default()
        }
        other => serde_json::to_string(other).unwrap_or_default(),
    };
    let limits = &task.limits;
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let count = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    let text = |text: &str| trial.expand(text, None).unwrap_or_else(|_| text.to_owned());
    let mut env = String::new();
    for (name, value) in &task.env {
        let _ = writeln!(env, "{name}={}", text(value));
    }
    Identity(vec![
        ("task", trial.key.task.clone()),
        ("arm", trial.key.arm.clone().unwrap_or_default()),
        ("command", command),
        (
            "params",
            serde_json::to_string(&trial.params).unwrap_or_default(),
        ),
        ("seed", trial.key.seed.to_string()),
        ("rollout", trial.key.rollout.to_string()),
        ("env", env),
        (
            "workdir",
            task.workdir.as_deref().map(text).unwrap_or_default(),
        ),
        ("timeout", number(limits.wall_s)),
        ("cpu_time", number(limits.cpu_s)),
        ("memory", count(limits.memory_bytes)),
        ("processes", count(limits.processes)),
    ])
}

/// The hash of an identity; the index is not in it, so that a trial keeps its id when others come or go.
pub(crate) fn id(identity: &Identity) -> TrialId {
    let mut hash = Sha256::new();
    hash.update(format!("fairtrial trial {IDENTITY_VERSION}\n"));
    for (name, value) in &identity.0 {
        hash.update(format!("{name} {}\n", value.len()));
        hash.update(value);
    }
    TrialId(hex(&hash.finalize()[..16]))
}

/// Hash of everything that decides the trials, their order and what is read from them.
pub(crate) fn plan_hash(spec: &Spec, only: Option<&str>) -> String {
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
        task.resources = Needs::default();
    }
    let metrics: Vec<_> = spec
        .metrics
        .iter()
        .map(|metric| {
            (
                &metric.name,
                &metric.source,
                &metric.summary,
                metric.required,
            )
        })
        .collect();
    let decides = (
        (PLAN_VERSION, IDENTITY_VERSION, only),
        (&spec.seeds, spec.order, spec.order_seed),
        (&tasks, &spec.arms, &spec.sweep, &metrics),
    );
    let text = serde_json::to_string(&decides).unwrap_or_default();
    hex(&Sha256::digest(text)[..16])
}
