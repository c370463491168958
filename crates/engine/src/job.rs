//! From a trial of the plan to a job that can be run: placeholders filled, environment complete, paths absolute.

use crate::code::watch::CodeWatch;
use crate::error::EngineError;
use crate::experiment::DriverLines;
use crate::repeat_script::Repeated;
use crate::rollout::{RolloutLines, is_rollout};
use crate::threads::{thread_count, thread_variables};
use fairtrial_journal::provenance::physical_cores;
use fairtrial_journal::{DataRoot, Durability, RunDir, write_atomic_bytes};
use fairtrial_model::{Access, MetricDeclaration, MetricSource, Sha256, Timed, hex};
use fairtrial_plan::{Placement, Plan, Trial};
use fairtrial_text::glob::Glob;

use fairtrial_spec::{EngineKind, InheritEnv, Spec, Task, Work, expand_env};
use fairtrial_trial::{JobCheckpoint, JobLimits, Makes, TrialJob, look_at};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The variable by which a program knows its GPUs.
pub(crate) const DEVICES: &str = "CUDA_VISIBLE_DEVICES";

/// Whether a `NAME=value` is about GPUs.
pub(crate) fn is_devices(entry: &str) -> bool {
    entry
        .split_once('=')
        .is_some_and(|(name, _)| name == DEVICES)
}

/// Makes jobs for one run.
pub(crate) struct JobMaker {
    run: RunDir,
    stamp: String,
    runs_dir: PathBuf,
    checkpoints_dir: PathBuf,
    base_dir: PathBuf,
    drivers: DriverLines,
    rollouts: RolloutLines,
    environment: HashMap<String, String>,
    /// What every trial of a task inherits, by the task's place in the source.
    inherited: HashMap<usize, Arc<[String]>>,
    /// The variables among those that say how many threads there may be, by the task's place in the source.
    threads: HashMap<usize, Arc<[String]>>,
    /// What every trial of a task is asked for, by the task's place in the source.
    metrics: HashMap<usize, Arc<[MetricDeclaration]>>,
    /// What looks at the code of the trials; absent where nobody records it.
    pub(crate) code: Option<Arc<CodeWatch>>,
    /// How the trials of a task are timed as a whole, by the task's place in the source.
    timed: HashMap<usize, Arc<Timed>>,
    /// The parameter files that are there, by what is in them; as many as [`PARAMS_KNOWN`].
    params: Mutex<HashMap<String, Arc<str>>>,
}

/// Sets of parameters whose files are remembered: trials of one block share a few, and a sweep may have millions.
const PARAMS_KNOWN: usize = 1024;

/// The variables that make trackers write into the trial's directory, where metrics are read from what they write.
fn tracker_variables(metrics: &[MetricDeclaration], dir: &str) -> Vec<(&'static str, String)> {
    let tracked = metrics.iter().filter_map(|metric| match &metric.source {
        MetricSource::Tracked {
            tracker, folder, ..
        } => Some(tracker.variables(dir, folder)),
        _ => None,
    });
    let mut variables: Vec<_> = tracked.flatten().collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}

/// What a trial makes for others; a path that only a running trial knows is taken as written.
pub(crate) fn makes(trial: &Trial<'_>, spec: &Spec) -> Makes {
    let base = Path::new(&spec.base_dir);
    let paths = |texts: &[String]| {
        let path = |text: &String| {
            let text = trial.expand(text, None).unwrap_or_else(|_| text.clone());
            base.join(text)
        };
        texts.iter().map(path).collect()
    };
    Makes {
        outputs: paths(&trial.task.outputs),
        inputs: paths(&trial.task.inputs),
    }
}

impl JobMaker {
    /// `program` is this very binary, which drives experiments and rollouts.
    pub(crate) fn new(
        run: &RunDir,
        spec: &Spec,
        program: &Path,
        environment: &[(String, String)],
    ) -> Self {
        let inherited = spec
            .tasks
            .iter()
            .map(|task| (task.place, inherit(task, environment)))
            .map(|(place, inherited)| (place, without_lent(spec, inherited)))
            .collect();
        Self {
            run: run.clone(),
            stamp: run.stamp().to_string(),
            runs_dir: run.root().runs_dir(),
            checkpoints_dir: run.root().checkpoints_dir(),
            base_dir: PathBuf::from(&spec.base_dir),
            drivers: DriverLines::new(program, run, spec),
            rollouts: RolloutLines::new(program, run),
            environment: environment.iter().cloned().collect(),
            inherited,
            threads: HashMap::new(),
            metrics: spec
                .tasks
                .iter()
                .map(|task| (task.place, spec.metrics_of(task).into()))
                .collect(),
            code: None,
            timed: spec.tasks.iter().filter_map(timed_task).collect(),
            params: Mutex::default(),
        }
    }

    /// Says to the libraries of the trials how many threads they may start: as their task says, by its CPUs, or by their
    /// share of this machine where `slots` of them run beside each other.
    pub(crate) fn share_cores(&mut self, spec: &Spec, slots: Option<usize>) {
        let share = slots.map(|slots| (physical_cores() / slots.max(1)).max(1));
        for task in &spec.tasks {
            if let Some(threads) = thread_count(task, share)
                && let Some(inherited) = self.inherited.get_mut(&task.place)
            {
                let added = thread_variables(inherited, task, threads);
                *inherited = inherited.iter().chain(added.iter()).cloned().collect();
                self.threads.insert(task.place, added);
            }
        }
    }

    /// The name of an attempt: the last part of its directory.
    pub(crate) fn name(&self, index: u64, attempt: u32) -> String {
        DataRoot::trial_name(&self.stamp, index, attempt)
    }

    /// Its directory, relative to the data root.
    pub(crate) fn dir_in_data(&self, index: u64, attempt: u32) -> String {
        in_data(&self.name(index, attempt))
    }

    /// The job for one attempt.
    pub(crate) fn job(
        &self,
        plan: &Plan,
        index: u64,
        attempt: u32,
    ) -> Result<TrialJob, EngineError> {
        let Some(trial) = plan.trial(index) else {
            return Err(EngineError::Unresolved {
                task: index.to_string(),
                message: "no such trial".into(),
            });
        };
        let name = self.name(index, attempt);
        let dir = self.runs_dir.join(&name);
        let dir_text = dir.to_string_lossy().into_owned();
        let checkpoint = self.checkpoint(&trial, attempt, plan.spec().access);
        let checkpoint = checkpoint.map_err(|message| EngineError::Unresolved {
            task: trial.key.task.clone(),
            message,
        })?;
        let checkpoint_text = checkpoint
            .as_ref()
            .map(|checkpoint| checkpoint.dir.to_string_lossy().into_owned());
        let placement = Placement {
            dir: &dir_text,
            trial: &name,
            run: &self.stamp,
            attempt,
            checkpoint: checkpoint_text.as_deref(),
        };
        let unresolved = |message: String| EngineError::Unresolved {
            task: trial.key.task.clone(),
            message,
        };
        let driver = match self.drivers.argv(&trial, &placement).map_err(unresolved)? {
            Some(driver) => Some(driver),
            None => self.rollouts.argv(&trial, &placement).map_err(unresolved)?,
        };
        let workdir = self.workdir(&trial, &placement).map_err(unresolved)?;
        let written = self.env(&trial, &placement).map_err(unresolved)?;
        let (argv, script) = if let Some(driver) = driver {
            (driver, None)
        } else {
            let argv = trial.argv_to_resolve(&placement);
            let argv = argv.map_err(|error| unresolved(error.to_string()))?;
            let threads = self.threads.get(&trial.task.place);
            let env = [&written[..], threads.map_or(&[][..], |it| it)].concat();
            let repeated = Repeated {
                argv: &argv,
                refers: !trial.task.work.env_words().is_empty(),
                env: &env,
                workdir: &workdir,
                dir: &dir_text,
                checkpoint: checkpoint_text.as_deref(),
            };
            let script = repeated.script();
            let argv = self.resolve_words(argv, &trial.task.work);
            (argv.map_err(unresolved)?, Some(script))
        };
        let resolved = written.iter().map(|entry| self.resolve(entry)).collect();
        let env: Result<Vec<String>, String> = resolved;
        let env = env.map_err(unresolved)?;
        let id = trial.id();
        let limits = &trial.task.limits;
        // A rollout's driver holds its programs to their limits itself, and scores what an agent left that met one.
        let of_trial = !is_rollout(trial.task);
        Ok(TrialJob {
            id,
            attempt,
            argv,
            inherited: self
                .inherited
                .get(&trial.task.place)
                .cloned()
                .unwrap_or_else(|| Arc::from([])),
            env,
            workdir,
            dir_in_data: in_data(&name),
            dir,
            script,
            code: self.code.as_ref().and_then(|code| code.of(&trial)),
            limits: JobLimits {
                wall: limits.wall_s.filter(|_| of_trial),
                spent: 0.0,
                cpu: limits.cpu_s,
                memory_bytes: limits.memory_bytes.filter(|_| of_trial),
                processes: limits.processes.filter(|_| of_trial),
                grace: trial.task.ending_s(),
            },
            log_limit: trial.task.log_limit,
            discards_output: trial.task.discards_output,
            packs: false,
            access: plan.spec().access,
            metrics: self
                .metrics
                .get(&trial.task.place)
                .cloned()
                .unwrap_or_else(|| Arc::from([])),
            makes: makes(&trial, plan.spec()),
            checkpoint,
            timed: self.timed.get(&trial.task.place).cloned(),
            key: trial.key,
        })
    }

    /// Where a trial saves its state, made if need be.
    fn checkpoint(
        &self,
        trial: &Trial<'_>,
        attempt: u32,
        access: Access,
    ) -> Result<Option<JobCheckpoint>, String> {
        let Some(rule) = trial.task.checkpoint else {
            return Ok(None);
        };
        let index = trial.key.index;
        let dir = self.checkpoints_dir.join(self.name(index, 1));
        let mut maker = DirBuilder::new();
        let made = std::fs::create_dir_all(&self.checkpoints_dir).and_then(|()| {
            let made = maker.mode(access.folder_mode()).create(&dir);
            made.or_else(|error| if dir.is_dir() { Ok(()) } else { Err(error) })
        });
        made.map_err(|error| format!("could not make {}: {error}", dir.display()))?;
        let earlier = (1..attempt).map(|attempt| self.runs_dir.join(self.name(index, attempt)));
        Ok(Some(JobCheckpoint {
            found: look_at(&dir),
            dir_in_data: DataRoot::checkpoint_relative(&self.stamp, index),
            dir,
            signal: rule.signal,
            earlier: earlier.filter(|dir| dir.exists()).collect(),
        }))
    }

    fn workdir(&self, trial: &Trial<'_>, placement: &Placement<'_>) -> Result<PathBuf, String> {
        let Some(text) = &trial.task.workdir else {
            return Ok(self.base_dir.clone());
        };
        let text = trial
            .expand_to_resolve(text, placement)
            .map_err(|error| error.to_string())?;
        Ok(self.base_dir.join(self.resolve(&text)?))
    }

    /// A trial's own variables, with the `${NAME}` references of the spec as they are.
    fn env(&self, trial: &Trial<'_>, placement: &Placement<'_>) -> Result<Vec<String>, String> {
        let mut env = Vec::with_capacity(trial.task.env.len() + 5);
        for (name, value) in &trial.task.env {
            let value = trial
                .expand_to_resolve(value, placement)
                .map_err(|error| error.to_string())?;
            env.push(format!("{name}={value}"));
        }
        let metrics = self.metrics.get(&trial.task.place);
        let metrics = metrics.map_or(&[][..], |metrics| metrics);
        for (name, value) in tracker_variables(metrics, placement.dir) {
            env.push(format!("{name}={value}"));
        }
        if trial.task.timed.is_some() {
            // It has no folder, and is given the environment that it has without us.
            return Ok(env);
        }
        let params = self.params_file(trial)?;
        env.push(format!("FAIRTRIAL_SEED={}", trial.key.own_seed()));
        env.push(format!("FAIRTRIAL_TRIAL={}", placement.trial));
        env.push(format!("FAIRTRIAL_DIR={}", placement.dir));
        env.push(format!("FAIRTRIAL_METRICS={}/metrics.jsonl", placement.dir));
        env.push(format!("FAIRTRIAL_PARAMS={params}"));
        if let Some(checkpoint) = placement.checkpoint {
            env.push(format!("FAIRTRIAL_CHECKPOINT={checkpoint}"));
            env.push(format!("FAIRTRIAL_ATTEMPT={}", placement.attempt));
        }
        Ok(env)
    }

    /// The words of a command with their `${NAME}` references resolved, unless those belong to a shell.
    fn resolve_words(&self, argv: Vec<String>, work: &Work) -> Result<Vec<String>, String> {
        let refers = argv.iter().any(|word| word.contains('$'));
        if !refers || work.env_words().is_empty() {
            return Ok(argv);
        }
        argv.iter().map(|word| self.resolve(word)).collect()
    }

    /// `${NAME}` references, from the caller's environment.
    fn resolve(&self, text: &str) -> Result<String, String> {
        let value = |name: &str| {
            self.environment
                .get(name)
                .map(|value| Cow::Borrowed(value.as_str()))
        };
        expand_env(text, value).map_err(|error| error.to_string())
    }

    /// The file with a trial's parameters: one for all trials that share them, because making a file per trial would
    /// cost more than starting it.
    fn params_file(&self, trial: &Trial<'_>) -> Result<Arc<str>, String> {
        let text = serde_json::to_string(&trial.params).map_err(|error| error.to_string())?;
        let mut known = self.params.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = known.get(&text) {
            return Ok(Arc::clone(path));
        }
        let name = hex(&Sha256::digest(&text)[..8]);
        let folder = self.run.path().join("params");
        let path = folder.join(format!("{name}.json"));
        write_params(&folder, &path, &text)?;
        let path: Arc<str> = path.to_string_lossy().into();
        if known.len() >= PARAMS_KNOWN {
            known.clear();
        }
        known.insert(text, Arc::clone(&path));
        Ok(path)
    }
}

fn timed_task(task: &Task) -> Option<(usize, Arc<Timed>)> {
    Some((task.place, Arc::new(task.timed.clone()?)))
}

/// The directory of an attempt of this name, relative to the data root.
fn in_data(name: &str) -> String {
    format!("runs/{name}")
}

fn write_params(folder: &Path, path: &Path, text: &str) -> Result<(), String> {
    // Its name is the hash of its content: one that is there, by whatever node, is the same.
    if path.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    write_atomic_bytes(path, Durability::Process, text.as_bytes())
        .map_err(|error| error.to_string())
}

/// The caller's variables, all of them but ours.
pub(crate) fn inherit_all(environment: &[(String, String)]) -> Arc<[String]> {
    let theirs = environment
        .iter()
        .filter(|(name, _)| !name.starts_with("FAIRTRIAL_"));
    theirs
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}

/// The caller's variables that a task's trials inherit, without those that are set anew for each.
fn inherit(task: &Task, environment: &[(String, String)]) -> Arc<[String]> {
    let InheritEnv { allow, deny } = &task.inherit_env;
    let matches = |patterns: &[String], name: &str| {
        patterns
            .iter()
            .any(|pattern| Glob::name(pattern).matches(name))
    };
    let kept = environment.iter().filter(|(name, _)| {
        let passed = matches(allow, name) && !matches(deny, name);
        passed && !task.env.contains_key(name) && !name.starts_with("FAIRTRIAL_")
    });
    kept.map(|(name, value)| format!("{name}={value}"))
        .collect()
}

/// GPUs that this machine lends are said anew for each trial.
fn without_lent(spec: &Spec, inherited: Arc<[String]>) -> Arc<[String]> {
    let lends = spec.engine.kind == EngineKind::Local && !spec.engine.gpus.is_empty();
    if !lends || !inherited.iter().any(|entry| is_devices(entry)) {
        return inherited;
    }
    let kept = inherited.iter().filter(|entry| !is_devices(entry));
    kept.cloned().collect()
}
