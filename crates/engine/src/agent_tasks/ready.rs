//! Makes an agent run ready: its agents and sandboxes are here, and its baselines are made.

use super::reader::TaskReader;
use crate::rollout::{image_cache, task_cache};
use fairtrial_agent::AgentError;
use fairtrial_agent::baseline::{self, Baseline};
use fairtrial_agent::check::check_machine;
use fairtrial_agent::findings::Findings;
use fairtrial_agent::sandbox::{self, Recipe, forget_failures};
use fairtrial_journal::DataRoot;
use fairtrial_spec::{AgentChoice, Spec, Task, Work};

/// Why the agent tasks of a spec cannot run.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    /// This machine lacks what they need.
    #[error("{}", .0.join("\n       "))]
    Lacks(Vec<String>),
    /// The task is another than the one that was planned.
    #[error("task `{0}` changed since the run was started")]
    Changed(String),
    /// A task cannot be read, or its baseline not be made.
    #[error("task `{task}`: {error}")]
    Task {
        /// Its id.
        task: String,
        /// What went wrong.
        error: AgentError,
    },
    /// What is kept of images cannot be read or changed.
    #[error(transparent)]
    Cache(AgentError),
}

/// Makes the baselines that a run will copy, and finds out whether its agents and sandboxes are here.
pub fn make_ready(spec: &Spec, root: &DataRoot, reader: &TaskReader) -> Result<(), NotReady> {
    let problems = lacking(spec, root, reader)?;
    if !problems.is_empty() {
        return Err(NotReady::Lacks(problems));
    }
    forget_failures(&image_cache(root)).map_err(NotReady::Cache)?;
    for task in &spec.tasks {
        let Work::Prepared { digest, .. } = &task.work else {
            continue;
        };
        if made(task, root).is_some() {
            continue;
        }
        let of = of_task(task);
        let read = reader.read(task).map_err(&of)?;
        if digest.as_ref() != Some(&read.digest) {
            return Err(NotReady::Changed(task.id.clone()));
        }
        baseline::ensure(&task_cache(root), &read, reader.token()).map_err(&of)?;
    }
    Ok(())
}

/// What this machine lacks for the agents of a spec and their sandboxes.
pub fn lacking(spec: &Spec, root: &DataRoot, reader: &TaskReader) -> Result<Vec<String>, NotReady> {
    let mut problems: Vec<String> = Vec::new();
    for task in &spec.tasks {
        if let Work::Prepared { options, .. } = &task.work {
            let mut findings = Findings::default();
            let recipe = recipe(task, reader, root).map_err(of_task(task))?;
            for agent in agents_of(spec, task, &options.agent) {
                check_machine(&agent, options, recipe.as_ref(), &mut findings);
            }
            let told = findings.errors.into_iter();
            problems.extend(told.map(|error| format!("task `{}`: {error}", task.id)));
        }
    }
    problems.dedup();
    Ok(problems)
}

fn of_task(task: &Task) -> impl Fn(AgentError) -> NotReady {
    let task = task.id.clone();
    move |error| NotReady::Task {
        task: task.clone(),
        error,
    }
}

/// The baseline of a task, where it is made.
pub(super) fn made(task: &Task, root: &DataRoot) -> Option<Baseline> {
    let Work::Prepared { digest, .. } = &task.work else {
        return None;
    };
    let baseline = Baseline::of(&task_cache(root), digest.as_ref()?);
    baseline.is_made().then_some(baseline)
}

/// How the image of a task is made, where its sandbox needs that.
fn recipe(task: &Task, reader: &TaskReader, root: &DataRoot) -> Result<Option<Recipe>, AgentError> {
    let Work::Prepared { options, .. } = &task.work else {
        return Ok(None);
    };
    if !uses_containers(task) || options.sandbox.image.is_some() {
        return Ok(None);
    }
    let baseline = made(task, root);
    let own = match &baseline {
        Some(baseline) => baseline.task()?,
        None => reader.read(task)?.task,
    };
    let baseline = baseline.unwrap_or_else(|| Baseline::at(task_cache(root)));
    Ok(Recipe::of(&own, &baseline, &image_cache(root)))
}

/// Whether the rollouts of a task run in containers.
pub fn uses_containers(task: &Task) -> bool {
    match &task.work {
        Work::Prepared { options, .. } => sandbox::kind(&options.sandbox).is_container(),
        _ => false,
    }
}

/// The agents that a task's trials have: its own, or those that arms name.
fn agents_of(spec: &Spec, task: &Task, own: &AgentChoice) -> Vec<AgentChoice> {
    let names: Vec<&str> = spec
        .arms
        .iter()
        .filter(|arm| task.runs_in(&arm.name))
        .filter_map(|arm| arm.params.get("agent")?.as_str())
        .chain(task.params.get("agent").and_then(serde_json::Value::as_str))
        .collect();
    let named = |name: &&str| AgentChoice {
        name: (*name).to_owned(),
        ..own.clone()
    };
    let mut all: Vec<AgentChoice> = names.iter().map(named).collect();
    if all.len() < spec.arms.len().max(1) {
        all.push(own.clone());
    }
    all
}
