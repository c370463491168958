//! Reads agent tasks and looks into them.

use fairtrial_agent::check::{check_cost_caps, check_options, check_task, check_timeout};
use fairtrial_agent::findings::Findings;
use fairtrial_agent::format::{Reading, read_task};
use fairtrial_agent::sandbox::container_kind;
use fairtrial_agent::task::{AgentTask, ReadTask};
use fairtrial_agent::{AgentError, baseline};
use fairtrial_spec::{SandboxKind, Spec, Task, Work, find_path};
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What was found out about one agent task of a spec.
#[derive(Debug, Serialize)]
pub struct CheckedTask {
    /// The task's id in the spec.
    pub task: String,
    /// Its folder.
    pub prepared_dir: String,
    /// Hash of the task with its overrides.
    pub digest: Option<String>,
    /// What is wrong, and what to know.
    pub findings: Findings,
}

impl CheckedTask {
    /// A task under several models is one task.
    pub fn distinct(mut all: Vec<Self>) -> Vec<Self> {
        all.dedup_by(|one, other| {
            one.prepared_dir == other.prepared_dir
                && one.digest == other.digest
                && one.findings == other.findings
        });
        all
    }
}

/// Reads tasks, each once.
#[derive(Debug)]
pub struct TaskReader {
    base_dir: String,
    token: Option<String>,
    /// The sandbox of tasks that name none.
    backend: Option<SandboxKind>,
    /// Whether the run has a cap on money.
    caps_cost: bool,
    /// What was read, if it could be, and what was found out about it.
    read: HashMap<String, (Option<ReadTask>, Findings)>,
    /// The cache into which repositories are brought, where they are looked into.
    fetches_to: Option<PathBuf>,
}

impl TaskReader {
    /// For the tasks of `spec`: with the token for private repositories, and the sandbox of tasks that name none.
    pub fn new(spec: &Spec, token: Option<String>, backend: Option<SandboxKind>) -> Self {
        Self {
            base_dir: spec.base_dir.clone(),
            token,
            backend,
            caps_cost: spec.budget.cost.is_some(),
            read: HashMap::new(),
            fetches_to: None,
        }
    }

    /// Brings repositories into this cache, to see whether a task's commits are there.
    #[must_use]
    pub fn fetching_to(mut self, cache: PathBuf) -> Self {
        self.fetches_to = Some(cache);
        self
    }

    /// The token for private repositories.
    pub(super) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    pub(super) fn read(&self, task: &Task) -> Result<ReadTask, AgentError> {
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

    /// What there is to know about a task; absent for one that is not an agent's.
    pub fn check(&mut self, task: &Task) -> Option<CheckedTask> {
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
            options.sandbox.kind = options.sandbox.kind.or(self.sandbox_for(&read.task));
            check_timeout(task, &read.task, &mut findings);
            check_options(&options, &task.limits, &read.task, &mut findings);
            check_cost_caps(&options.agent, self.caps_cost, &mut findings);
        }
        Some(CheckedTask {
            task: task.id.clone(),
            prepared_dir: dir,
            digest: read.map(|read| read.digest.clone()),
            findings,
        })
    }

    /// The sandbox of a task that names none.
    fn sandbox_for(&self, task: &AgentTask) -> Option<SandboxKind> {
        let own = || task.contained.as_ref().and_then(|_| container_kind());
        self.backend.or_else(own)
    }

    /// Gives the tasks of a spec that name no sandbox theirs.
    pub fn confine(&self, spec: &mut Spec) {
        for task in &mut spec.tasks {
            let Work::Prepared { options, .. } = &task.work else {
                continue;
            };
            if options.sandbox.kind.is_some() {
                continue;
            }
            let known = key(task).and_then(|(key, _)| self.read.get(&key)?.0.as_ref());
            let kind = match known {
                Some(read) => self.sandbox_for(&read.task),
                // One that cannot be read is told of elsewhere.
                None => self
                    .read(task)
                    .map_or(self.backend, |read| self.sandbox_for(&read.task)),
            };
            if let Work::Prepared { options, .. } = &mut task.work {
                options.sandbox.kind = kind;
            }
        }
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
