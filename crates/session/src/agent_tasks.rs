//! Agent tasks before and after a run: what a spec's tasks hold, whether they can run here, and what they left.

use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use crate::task_finding::TaskFinding;
use fairtrial_agent::rollout::declared_metrics;
use fairtrial_agent::sandbox::{end_monitor, list_leftovers, list_monitors, remove_leftover};
use fairtrial_engine::agent_tasks::{self, CheckedTask, TaskReader, uses_containers};
use fairtrial_engine::task_cache;
use fairtrial_journal::{DataRoot, RunDir};
use fairtrial_spec::{SandboxKind, Spec, Task, Work};
use std::path::PathBuf;

/// The variable that names the sandbox of tasks that name none.
const BACKEND: &str = "SANDBOX_BACKEND";
/// The variable with the token for private repositories.
const TOKEN: &str = "PRIVATE_GITHUB_PAT";

impl Session {
    /// Looks into every agent task of a spec, its repository included.
    pub(crate) fn check_agent_tasks(&self, spec: &Spec) -> Vec<CheckedTask> {
        // A word that names no sandbox is told of where the run begins.
        let backend = self.named_backend().unwrap_or_default();
        let cache = task_cache(&self.data_root());
        let mut reader = TaskReader::new(spec, self.token(), backend).fetching_to(cache);
        let checked = spec.tasks.iter().filter_map(|task| reader.check(task));
        CheckedTask::distinct(checked.collect())
    }

    /// Looks into the agent tasks of a spec that is to be planned or run: their content becomes part of what their
    /// trials are, and what their rollouts report is declared.
    pub(crate) fn take_in_agent_tasks(&self, spec: &mut Spec) -> Result<(), SessionError> {
        let is_agents = |task: &Task| matches!(task.work, Work::Prepared { .. });
        if !spec.tasks.iter().any(is_agents) {
            return Ok(());
        }
        let backend = self.named_backend()?;
        let mut reader = TaskReader::new(spec, self.token(), backend);
        let each: Vec<_> = spec.tasks.iter().map(|task| reader.check(task)).collect();
        let digests: Vec<Option<String>> = each
            .iter()
            .map(|task| task.as_ref()?.digest.clone())
            .collect();
        let checked = CheckedTask::distinct(each.into_iter().flatten().collect());
        for finding in TaskFinding::of(&checked) {
            self.tell(Notice::AgentTask(finding));
        }
        let errors: usize = checked.iter().map(|task| task.findings.errors.len()).sum();
        if errors > 0 {
            return Err(SessionError::InvalidTasks { errors });
        }
        for (task, found) in spec.tasks.iter_mut().zip(digests) {
            if let Work::Prepared { digest, .. } = &mut task.work {
                *digest = found;
            }
        }
        reader.confine(spec);
        for metric in declared_metrics() {
            if !spec.metrics.iter().any(|known| known.name == metric.name) {
                spec.metrics.push(metric);
            }
        }
        Ok(())
    }

    /// The sandbox that the environment names.
    fn named_backend(&self) -> Result<Option<SandboxKind>, SessionError> {
        let Some(word) = self.caller().variable(BACKEND) else {
            return Ok(None);
        };
        let kind = SandboxKind::from_word(word);
        kind.map(Some)
            .ok_or_else(|| SessionError::NoSandbox(word.to_owned()))
    }

    /// The token for private repositories.
    pub(crate) fn token(&self) -> Option<String> {
        self.caller().variable(TOKEN).map(str::to_owned)
    }

    /// Makes the baselines that a run will copy, and finds out whether its agents and sandboxes are here.
    pub(crate) fn make_agents_ready(
        &self,
        spec: &Spec,
        root: &DataRoot,
    ) -> Result<(), SessionError> {
        let reader = TaskReader::new(spec, self.token(), None);
        Ok(agent_tasks::make_ready(spec, root, &reader)?)
    }

    /// What this machine lacks for the agents of a spec; nothing where a task cannot be read, which is told elsewhere.
    pub(crate) fn lacking_for_agents(&self, spec: &Spec) -> Vec<String> {
        let backend = self.named_backend().unwrap_or_default();
        let mut spec = spec.clone();
        let reader = TaskReader::new(&spec, self.token(), backend);
        reader.confine(&mut spec);
        agent_tasks::lacking(&spec, &self.data_root(), &reader).unwrap_or_default()
    }

    /// Removes containers whose owner is dead, where a spec uses containers at all.
    pub(crate) fn remove_dead_containers(&self, spec: &Spec) {
        if !spec.tasks.iter().any(uses_containers) {
            return;
        }
        let leftovers = list_leftovers();
        for silent in leftovers.silent {
            self.warn(format!(
                "containers left behind were not looked for: {silent}"
            ));
        }
        for leftover in leftovers.found {
            if !remove_leftover(&leftover) {
                self.tell(Notice::ContainerLeft(leftover.name));
            }
        }
        for monitor in list_monitors() {
            if !end_monitor(&monitor) {
                self.tell(Notice::ContainerLeft(monitor.name));
            }
        }
    }
}

/// Removes the workspaces of rollouts that were ended in the middle; nobody works on the run any more.
pub(crate) fn clear_workspaces(run: &RunDir) {
    let own = format!("{}-", run.stamp());
    for work in workspaces(run.root(), |trial| trial.starts_with(&own)) {
        // What stays is found when leftovers are looked for.
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
