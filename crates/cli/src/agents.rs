//! Agent tasks on the command line's side: what a spec's tasks hold and whether they can run here, their baselines, and
//! the driver process inside a rollout.

use crate::exit::{Exit, Failure};
use crate::printer::Printer;
use crate::{environment, trial_log};
use fairtrial_agent::AgentError;
use fairtrial_agent::baseline::{self, Baseline};
use fairtrial_agent::check::{check_machine, check_options, check_task};
use fairtrial_agent::findings::Findings;
use fairtrial_agent::format::{Reading, read_task};
use fairtrial_agent::rollout::{
    RolloutEnd, RolloutTask, RolloutTrial, declared_metrics, drive, score_again,
};
use fairtrial_agent::sandbox::{
    self, Recipe, end_monitor, forget_failures, list_leftovers, list_monitors, remove_leftover,
};
use fairtrial_agent::task::{AgentTask, ReadTask};
use fairtrial_engine::{image_cache, task_cache};
use fairtrial_journal::{DataRoot, RunDir};
use fairtrial_spec::{AgentChoice, SandboxKind, Spec, Task, Work, find_path};
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What was found out about one agent task of a spec.
#[derive(Debug, Serialize)]
pub(crate) struct CheckedTask {
    /// The task's id in the spec.
    task: String,
    /// Its folder.
    prepared_dir: String,
    /// Hash of the task with its overrides.
    digest: Option<String>,
    /// What is wrong, and what to know.
    pub(crate) findings: Findings,
}

/// Looks into every agent task of a spec, its repository included.
pub(crate) fn check(spec: &Spec, root: &DataRoot) -> Vec<CheckedTask> {
    let mut reader = Reader::new(spec);
    reader.fetches_to = Some(task_cache(root));
    distinct(spec.tasks.iter().map(|task| reader.check(task)).collect())
}

/// What was found about each task of a spec in turn; absent for those that are not an agent's.
fn check_each(spec: &Spec) -> Vec<Option<CheckedTask>> {
    let mut reader = Reader::new(spec);
    spec.tasks.iter().map(|task| reader.check(task)).collect()
}

/// A task under several models is one task.
fn distinct(each: Vec<Option<CheckedTask>>) -> Vec<CheckedTask> {
    let mut all: Vec<CheckedTask> = each.into_iter().flatten().collect();
    all.dedup_by(|one, other| {
        one.prepared_dir == other.prepared_dir
            && one.digest == other.digest
            && one.findings == other.findings
    });
    all
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
    let each = check_each(spec);
    let digests: Vec<Option<String>> = each
        .iter()
        .map(|task| task.as_ref()?.digest.clone())
        .collect();
    let checked = distinct(each);
    show(&checked, printer);
    let errors: usize = checked.iter().map(|task| task.findings.errors.len()).sum();
    if errors > 0 {
        let plural = if errors == 1 { "" } else { "s" };
        let message = format!("the agent tasks have {errors} problem{plural}; nothing was run");
        return Err(Failure::input(message));
    }
    let backend = named_backend()?;
    for (task, found) in spec.tasks.iter_mut().zip(digests) {
        if let Work::Prepared {
            digest, options, ..
        } = &mut task.work
        {
            *digest = found;
            options.sandbox.kind = options.sandbox.kind.or(backend);
        }
    }
    for metric in declared_metrics() {
        if !spec.metrics.iter().any(|known| known.name == metric.name) {
            spec.metrics.push(metric);
        }
    }
    Ok(())
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
    let mut problems: Vec<String> = Vec::new();
    let cache = task_cache(root);
    let reader = Reader::new(spec);
    for task in &spec.tasks {
        if let Work::Prepared { options, .. } = &task.work {
            let mut findings = Findings::default();
            let recipe = recipe(task, &reader, root).map_err(|error| failure(task, &error))?;
            for agent in agents_of(spec, task, &options.agent) {
                check_machine(&agent, options, recipe.as_ref(), &mut findings);
            }
            let told = findings.errors.into_iter();
            problems.extend(told.map(|error| format!("task `{}`: {error}", task.id)));
        }
    }
    problems.dedup();
    if !problems.is_empty() {
        return Err(Failure::input(problems.join("\n       "))
            .hint("nothing was run; `fairtrial plan` works without these"));
    }
    forget_failures(&image_cache(root)).map_err(|error| Failure::machine(error.to_string()))?;
    let token = token();
    for task in &spec.tasks {
        let Work::Prepared { digest, .. } = &task.work else {
            continue;
        };
        if made(task, root).is_some() {
            continue;
        }
        let read = reader.read(task).map_err(|error| failure(task, &error))?;
        if digest.as_ref() != Some(&read.digest) {
            let message = format!("task `{}` changed since the run was started", task.id);
            return Err(Failure::input(message)
                .hint("start a new run; `--reuse` takes over what did not change"));
        }
        baseline::ensure(&cache, &read, token.as_deref()).map_err(|error| failure(task, &error))?;
    }
    Ok(())
}

/// The baseline of a task, where it is made.
fn made(task: &Task, root: &DataRoot) -> Option<Baseline> {
    let Work::Prepared { digest, .. } = &task.work else {
        return None;
    };
    let baseline = Baseline::of(&task_cache(root), digest.as_ref()?);
    baseline.is_made().then_some(baseline)
}

/// How the image of a task is made, where its sandbox needs that.
fn recipe(task: &Task, reader: &Reader, root: &DataRoot) -> Result<Option<Recipe>, AgentError> {
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
fn uses_containers(task: &Task) -> bool {
    match &task.work {
        Work::Prepared { options, .. } => sandbox::kind(&options.sandbox).is_container(),
        _ => false,
    }
}

/// Removes containers whose owner is dead, where a spec uses containers at all.
pub(crate) fn reap(spec: &Spec, printer: Printer) {
    if !spec.tasks.iter().any(uses_containers) {
        return;
    }
    let mut stuck = Vec::new();
    for leftover in list_leftovers() {
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

fn failure(task: &Task, error: &AgentError) -> Failure {
    Failure::input(format!("task `{}`: {error}", task.id))
}

/// The agents that a task's trials have: its own, or those that arms name.
fn agents_of(spec: &Spec, task: &Task, own: &AgentChoice) -> Vec<AgentChoice> {
    let of_arm =
        |arm: &&fairtrial_spec::Arm| task.arm.as_ref().is_none_or(|name| *name == arm.name);
    let names: Vec<&str> = spec
        .arms
        .iter()
        .filter(of_arm)
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

/// The token for private repositories.
fn token() -> Option<String> {
    std::env::var("PRIVATE_GITHUB_PAT")
        .ok()
        .filter(|it| !it.is_empty())
}

/// Reads tasks, each once.
struct Reader {
    base_dir: String,
    token: Option<String>,
    /// What `SANDBOX_BACKEND` names; a word that names nothing is told of where the run begins.
    backend: Option<SandboxKind>,
    /// What was read, if it could be, and what was found out about it.
    read: HashMap<String, (Option<ReadTask>, Findings)>,
    /// The cache into which repositories are brought, where they are looked into.
    fetches_to: Option<PathBuf>,
}

impl Reader {
    fn new(spec: &Spec) -> Self {
        Self {
            base_dir: spec.base_dir.clone(),
            token: token(),
            backend: named_backend().unwrap_or_default(),
            read: HashMap::new(),
            fetches_to: None,
        }
    }

    fn read(&self, task: &Task) -> Result<ReadTask, AgentError> {
        self.read_with(task, &mut Findings::default())
    }

    fn read_with(&self, task: &Task, findings: &mut Findings) -> Result<ReadTask, AgentError> {
        let Work::Prepared {
            dir,
            apply_overrides,
            overrides,
            ..
        } = &task.work
        else {
            return Err(AgentError::Sandbox("it is no agent task".to_owned()));
        };
        let base = Path::new(&self.base_dir);
        let dir = find_path(base, dir);
        let overrides = overrides.as_ref().map(|file| find_path(base, file));
        let reading = Reading {
            dir: &dir,
            overrides: overrides.as_deref(),
            apply_overrides: *apply_overrides,
            token: self.token.as_deref(),
        };
        read_task(&reading, findings)
    }

    fn check(&mut self, task: &Task) -> Option<CheckedTask> {
        let (key, dir) = key(task)?;
        // A folder that is not there was told of when the spec was read.
        if !find_path(Path::new(&self.base_dir), &dir).is_dir() {
            return None;
        }
        if !self.read.contains_key(&key) {
            let mut findings = Findings::default();
            let read = self.read_with(task, &mut findings);
            match &read {
                Ok(read) => {
                    check_task(&read.task, &mut findings);
                    self.fetch(&read.task, &mut findings);
                }
                Err(error) => findings.error(error.to_string()),
            }
            self.read.insert(key.clone(), (read.ok(), findings));
        }
        let (read, findings) = self.read.get(&key)?;
        let (read, mut findings) = (read.as_ref(), findings.clone());
        if let (Some(read), Work::Prepared { options, .. }) = (read, &task.work) {
            let mut options = options.clone();
            options.sandbox.kind = options.sandbox.kind.or(self.backend);
            check_options(&options, &task.limits, &read.task, &mut findings);
        }
        Some(CheckedTask {
            task: task.id.clone(),
            prepared_dir: dir,
            digest: read.map(|read| read.digest.clone()),
            findings,
        })
    }

    /// Whether the commits of a task are there.
    fn fetch(&self, task: &AgentTask, findings: &mut Findings) {
        let Some(cache) = &self.fetches_to else {
            return;
        };
        if let Err(error) = baseline::fetch(cache, task, self.token.as_deref()) {
            findings.error(error.to_string());
        }
    }
}

/// What decides how a task is read, and its folder.
fn key(task: &Task) -> Option<(String, String)> {
    match &task.work {
        Work::Prepared {
            dir,
            apply_overrides,
            overrides,
            ..
        } => Some((
            format!("{dir}\0{apply_overrides}\0{overrides:?}"),
            dir.clone(),
        )),
        _ => None,
    }
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
