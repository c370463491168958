//! Agent tasks on the command line's side: what a spec's tasks hold and whether they can run here, their baselines, and
//! the driver process inside a rollout.

use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::{environment, trial_log};
use fairtrial_agent::rollout::{
    RolloutEnd, RolloutTask, RolloutTrial, declared_metrics, drive, score_again,
};
use fairtrial_agent::sandbox::{end_monitor, list_leftovers, list_monitors, remove_leftover};
use fairtrial_engine::agent_tasks::{self, CheckedTask, NotReady, TaskReader, uses_containers};
use fairtrial_engine::task_cache;
use fairtrial_journal::{DataRoot, RunDir};
use fairtrial_spec::{SandboxKind, Spec, Task, Work};
use fairtrial_text::count::counted;
use std::path::PathBuf;

/// Looks into every agent task of a spec, its repository included.
pub(crate) fn check(spec: &Spec, root: &DataRoot) -> Vec<CheckedTask> {
    // A word that names no sandbox is told of where the run begins.
    let backend = named_backend().unwrap_or_default();
    let mut reader = TaskReader::new(spec, token(), backend).fetching_to(task_cache(root));
    let checked = spec.tasks.iter().filter_map(|task| reader.check(task));
    CheckedTask::distinct(checked.collect())
}

/// Shows what was found.
pub(crate) fn show(tasks: &[CheckedTask], printer: Printer) {
    for task in tasks {
        let name = format!("task `{}` ({})", task.task, task.prepared_dir);
        for warning in &task.findings.warnings {
            printer.warn(format!("{name}: {warning}"));
        }
        for error in &task.findings.errors {
            printer.error(&format!("{name}: {error}"), None);
        }
    }
}

/// Looks into the agent tasks of a spec that is to be planned or run: their content becomes part of what their trials
/// are, and what their rollouts report is declared.
pub(crate) fn look(spec: &mut Spec, printer: Printer) -> Result<(), Failure> {
    let is_agents = |task: &Task| matches!(task.work, Work::Prepared { .. });
    if !spec.tasks.iter().any(is_agents) {
        return Ok(());
    }
    let backend = named_backend()?;
    let mut reader = TaskReader::new(spec, token(), backend);
    let each: Vec<_> = spec.tasks.iter().map(|task| reader.check(task)).collect();
    let digests: Vec<Option<String>> = each
        .iter()
        .map(|task| task.as_ref()?.digest.clone())
        .collect();
    let checked = CheckedTask::distinct(each.into_iter().flatten().collect());
    show(&checked, printer);
    let errors: usize = checked.iter().map(|task| task.findings.errors.len()).sum();
    if errors > 0 {
        let problems = counted(errors, "problem");
        let message = format!("the agent tasks have {problems}; nothing was run");
        return Err(Failure::input(message));
    }
    for (task, found) in spec.tasks.iter_mut().zip(digests) {
        if let Work::Prepared { digest, .. } = &mut task.work {
            *digest = found;
        }
    }
    confine(spec, backend);
    for metric in declared_metrics() {
        if !spec.metrics.iter().any(|known| known.name == metric.name) {
            spec.metrics.push(metric);
        }
    }
    Ok(())
}

/// Gives the tasks that name no sandbox this one.
fn confine(spec: &mut Spec, backend: Option<SandboxKind>) {
    for task in &mut spec.tasks {
        if let Work::Prepared { options, .. } = &mut task.work {
            options.sandbox.kind = options.sandbox.kind.or(backend);
        }
    }
}

/// The sandbox that `SANDBOX_BACKEND` names.
fn named_backend() -> Result<Option<SandboxKind>, Failure> {
    let Some(word) = std::env::var("SANDBOX_BACKEND")
        .ok()
        .filter(|it| !it.is_empty())
    else {
        return Ok(None);
    };
    SandboxKind::from_word(&word).map(Some).ok_or_else(|| {
        Failure::input(format!("SANDBOX_BACKEND names no sandbox: `{word}`"))
            .hint(format!("there are {}", SandboxKind::WORDS.join(", ")))
    })
}

/// Makes the baselines that a run will copy, and finds out whether its agents and sandboxes are here.
pub(crate) fn make_ready(spec: &Spec, root: &DataRoot) -> Result<(), Failure> {
    let reader = TaskReader::new(spec, token(), None);
    agent_tasks::make_ready(spec, root, &reader).map_err(|error| {
        let hint = match &error {
            NotReady::Lacks(_) => Some("nothing was run; `fairtrial plan` works without these"),
            NotReady::Changed(_) => {
                Some("start a new run; `--reuse` takes over what did not change")
            }
            NotReady::Task { .. } => None,
            NotReady::Cache(_) => return Failure::machine(error.to_string()),
        };
        let failure = Failure::input(error.to_string());
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

/// What this machine lacks for the agents of a spec; nothing where a task cannot be read, which is told elsewhere.
pub(crate) fn lacking(spec: &Spec, root: &DataRoot) -> Vec<String> {
    let backend = named_backend().unwrap_or_default();
    let mut spec = spec.clone();
    confine(&mut spec, backend);
    let reader = TaskReader::new(&spec, token(), backend);
    agent_tasks::lacking(&spec, root, &reader).unwrap_or_default()
}

/// Removes containers whose owner is dead, where a spec uses containers at all.
pub(crate) fn reap(spec: &Spec, printer: Printer) {
    if !spec.tasks.iter().any(uses_containers) {
        return;
    }
    let mut stuck = Vec::new();
    let leftovers = list_leftovers();
    for silent in leftovers.silent {
        printer.warn(format!(
            "containers left behind were not looked for: {silent}"
        ));
    }
    for leftover in leftovers.found {
        if !remove_leftover(&leftover) {
            stuck.push(leftover.name);
        }
    }
    for monitor in list_monitors() {
        if !end_monitor(&monitor) {
            stuck.push(monitor.name);
        }
    }
    for name in stuck {
        printer.warn(format!(
            "container {name} was left behind and could not be removed"
        ));
    }
}

/// Removes the workspaces of rollouts that were ended in the middle; nobody works on the run any more.
pub(crate) fn clear_workspaces(run: &RunDir) {
    let own = format!("{}-", run.stamp());
    for work in workspaces(run.root(), |trial| trial.starts_with(&own)) {
        // What stays is found by `gc`.
        let _ = std::fs::remove_dir_all(work);
    }
}

/// The workspaces of attempts whose names are asked for.
pub(crate) fn workspaces(root: &DataRoot, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.runs_dir());
    let entries = entries.into_iter().flatten().flatten();
    let works = entries
        .filter(|entry| wanted(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path().join("work"));
    works.filter(|work| work.is_dir()).collect()
}

/// The token for private repositories.
fn token() -> Option<String> {
    std::env::var("PRIVATE_GITHUB_PAT")
        .ok()
        .filter(|it| !it.is_empty())
}

/// The driver of a rollout.
pub(crate) fn roll_out(task: &RolloutTask, trial: &RolloutTrial) -> Exit {
    match drive(task, trial, environment::read().into_iter().collect()) {
        RolloutEnd::Done => Exit::Fine,
        RolloutEnd::Failed => Exit::Failed,
        RolloutEnd::Infra => Exit::Machine,
    }
}

/// Scores a rollout again, and says what came of it.
pub(crate) fn rescore(task: &RolloutTask, trial: &RolloutTrial) -> Exit {
    match score_again(task, trial, environment::read().into_iter().collect()) {
        Ok(report) => {
            trial_log::say(&serde_json::to_string(&report).unwrap_or_default());
            Exit::Fine
        }
        Err(error) => trial_log::broken(&error.to_string()),
    }
}
