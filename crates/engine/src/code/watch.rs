//! What trials run, looked at when each is started: the program's files, what they import from the project, watched paths,
//! packages, and the commit. Nothing is read twice that did not change.

use super::below::{Below, MOST_FILES};
use super::commit::{self, Commits};
use super::imports::{Compiled, imports};
use super::observed::{Contents, Observed, all_seen, note};
use super::program::{Places, Started, is_fixed};
use super::python::Interpreter;
use fairtrial_experiment::Sources;
use fairtrial_journal::provenance::{Vcs, VcsLook};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{CodePart, CodeSet, RunDir, WATCHED_ROOT};
use fairtrial_model::{Code, Record, UtcTime};
use fairtrial_plan::Trial;
use fairtrial_spec::{Spec, Work, expand_env, find_path};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Different sets of words whose programs are remembered: a sweep may have millions.
const MOST_KNOWN: usize = 4096;

/// The folder that the Python SDK writes specs to: it stands for the one around it.
const WRITTEN: &str = ".fairtrial";
/// Where Python looks for modules; a task may say it.
const PYTHON_PATH: &str = "PYTHONPATH";

/// Where and with what trials would be started now.
#[derive(Debug, Clone, Copy)]
pub struct CodeNow<'a> {
    /// The caller's environment.
    pub environment: &'a [(String, String)],
    /// The data root.
    pub data: &'a Path,
    /// The clock.
    pub now: fn() -> UtcTime,
}

/// Looks at the code for one session.
#[derive(Debug)]
pub(crate) struct CodeWatch {
    places: Places,
    watch: Vec<String>,
    sources: Sources,
    environment: Vec<(String, String)>,
    now: fn() -> UtcTime,
    /// Where sets are kept; absent for a mere look.
    keep: Option<RunDir>,
    known: Mutex<Known>,
    commits: Mutex<Commits>,
}

/// A Python by its program and by the `PYTHONPATH` of the task: each finds modules of its own.
type Python = (PathBuf, Option<String>);

/// What was seen so far.
#[derive(Debug, Default)]
struct Known {
    contents: Contents,
    pythons: HashMap<Python, Option<Interpreter>>,
    /// What tasks start whose commands are the same for all trials, by the task's place in the source.
    tasks: HashMap<(usize, Option<String>), Arc<Started>>,
    /// What commands start, by their words, folder and `PYTHONPATH`.
    commands: HashMap<(Vec<String>, PathBuf, Option<String>), Arc<Started>>,
    programs: HashMap<Arc<Started>, Observed>,
    packages: HashMap<Python, Observed>,
    watched: Option<Observed>,
    /// The files of prepared tasks, by folder and overrides.
    prepared: HashMap<(String, Option<String>), Observed>,
    kept: BTreeSet<String>,
    /// Names of what changed while trials ran, until somebody asks.
    changed: Vec<String>,
}

impl CodeWatch {
    pub(crate) fn new(spec: &Spec, now: &CodeNow<'_>, keep: Option<&RunDir>) -> Self {
        let base = PathBuf::from(&spec.base_dir);
        let base = base.canonicalize().unwrap_or(base);
        let top = base.ancestors().find(|folder| folder.join(".git").exists());
        let around = base.parent().filter(|_| base.ends_with(WRITTEN));
        let path = now.environment.iter().find(|(name, _)| name == "PATH");
        let data = now.data.canonicalize();
        let places = Places {
            project: top.or(around).unwrap_or(&base).to_owned(),
            data: data.unwrap_or_else(|_| now.data.to_owned()),
            path: path.map(|(_, path)| path.into()).unwrap_or_default(),
            base,
        };
        Self {
            commits: Mutex::new(Commits::of(&places.project)),
            places,
            watch: spec.provenance.watch.clone(),
            sources: spec.experiments.clone(),
            environment: now.environment.to_vec(),
            now: now.now,
            keep: keep.cloned(),
            known: Mutex::default(),
        }
    }

    /// Begins to look at the commit; the look can be shared.
    pub(crate) fn look_at_commit(&self) -> Arc<VcsLook> {
        let variables = self.environment.iter().map(|(name, value)| (name, value));
        let redactor = Redactor::from_env(variables);
        let look = VcsLook::start(&self.places.base, &self.places.data, redactor);
        self.commits().add((self.now)(), &look);
        look
    }

    /// What a trial would run if it were started now; without its commit, which a record gets in the end.
    pub(crate) fn of(&self, trial: &Trial<'_>) -> Option<Code> {
        if matches!(trial.task.work, Work::Imported { .. }) {
            return None;
        }
        self.follow_commit();
        let mut known = self.known();
        let known = &mut *known;
        let started = self.started(trial, known);
        let code = Code {
            program: self.program(&started, known),
            watched: self.watched(known),
            packages: self.packages(&started, known),
            task: self.prepared(trial, known),
            ..Code::default()
        };
        Some(code)
    }

    /// Adds the commit to a record: the one that was checked out when its trial started.
    pub(crate) fn add_commit(&self, record: &mut Record) {
        let started = record.started_at.unwrap_or(record.ended_at);
        let look = self.commits().at(started);
        commit::add_to(record, look.as_deref());
        if let (Some(run), Some(look)) = (&self.keep, &look) {
            self.keep_changes(run, look);
        }
    }

    /// Keeps the uncommitted changes that a look saw, once.
    fn keep_changes(&self, run: &RunDir, look: &VcsLook) {
        if let Vcs::Git(state) = look.get()
            && let Some((name, changes)) = state.changes()
            && self.known().kept.insert(name.clone())
        {
            // What cannot be written is missing later, and only there.
            let _ = run.keep_changes(&name, changes);
        }
    }

    /// The names of what changed since this was asked last.
    pub(crate) fn changes(&self) -> Vec<String> {
        std::mem::take(&mut self.known().changed)
    }

    /// A set that was seen.
    pub(crate) fn set(&self, part: CodePart, hash: &str) -> Option<CodeSet> {
        let known = self.known();
        let found = |observed: &Observed| (observed.hash == hash).then(|| observed.set.clone());
        match part {
            CodePart::Program => known.programs.values().find_map(found),
            CodePart::Watched => known.watched.as_ref().and_then(found),
            CodePart::Packages => known.packages.values().find_map(found),
            CodePart::Task => known.prepared.values().find_map(found),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn commits(&self) -> MutexGuard<'_, Commits> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks again where another commit was checked out; a mere look asks for none.
    fn follow_commit(&self) {
        if self.keep.is_some() && self.commits().moved() {
            self.look_at_commit();
        }
    }

    fn started(&self, trial: &Trial<'_>, known: &mut Known) -> Arc<Started> {
        let python_path = self.python_path(trial);
        let task = (trial.task.place, python_path.clone());
        if let Some(started) = known.tasks.get(&task) {
            return Arc::clone(started);
        }
        if let Work::Experiment { origin, .. } = &trial.task.work {
            let started = Arc::new(Started {
                python_path,
                ..Started::by_origin(origin.as_ref(), &self.sources, &self.places)
            });
            known.tasks.insert(task, Arc::clone(&started));
            return started;
        }
        if let Work::Prepared { options, .. } = &trial.task.work {
            return Arc::new(Started {
                python_path,
                ..Started::by_agent(trial, options, &self.places)
            });
        }
        let expand = |text: &String| trial.expand(text, None).unwrap_or_else(|_| text.clone());
        let workdir = trial.task.workdir.as_ref().map(expand);
        let workdir =
            workdir.map_or_else(|| self.places.base.clone(), |it| self.places.base.join(it));
        let key = (trial.argv(None).unwrap_or_default(), workdir, python_path);
        if let Some(started) = known.commands.get(&key) {
            return Arc::clone(started);
        }
        let started = Arc::new(Started {
            python_path: key.2.clone(),
            ..Started::by_command(&key.0, &key.1, &self.places)
        });
        if is_fixed(trial.task) {
            known.tasks.insert(task, Arc::clone(&started));
            return started;
        }
        if known.commands.len() >= MOST_KNOWN {
            known.commands.clear();
        }
        known.commands.insert(key, Arc::clone(&started));
        started
    }

    /// Where Python looks for modules in a trial, where its task says so.
    fn python_path(&self, trial: &Trial<'_>) -> Option<String> {
        let text = trial.task.env.get(PYTHON_PATH)?;
        let text = trial.expand(text, None).unwrap_or_else(|_| text.clone());
        let set = |name: &str| {
            let found = self.environment.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| Cow::Borrowed(value.as_str()))
        };
        expand_env(&text, set).ok()
    }

    fn program(&self, started: &Arc<Started>, known: &mut Known) -> Option<String> {
        if let Some(observed) = known.programs.get_mut(started)
            && observed.is_current()
        {
            return Some(observed.hash.clone()).filter(|_| !observed.set.is_empty());
        }
        let files = all_seen(self.closure(started, known));
        let mut set = CodeSet::new();
        for (file, _) in &files {
            let hash = known.contents.hash(file);
            set.insert(
                self.places.name(file),
                hash.unwrap_or_else(|| "unreadable".into()),
            );
        }
        if started.builtin {
            set.insert(
                "built into fairtrial".to_owned(),
                env!("CARGO_PKG_VERSION").to_owned(),
            );
        }
        let now = Observed::new(set, files);
        note(
            CodePart::Program,
            known.programs.get(started),
            &now,
            &mut known.changed,
        );
        self.keep(&now, &mut known.kept);
        let hash = Some(now.hash.clone()).filter(|_| !now.set.is_empty());
        known.programs.insert(Arc::clone(started), now);
        hash
    }

    /// The files that are started, and what they import from the project.
    fn closure(&self, started: &Started, known: &mut Known) -> Vec<PathBuf> {
        let mut roots = vec![started.workdir.clone(), self.places.base.clone()];
        if let Some(python) = self.interpreter(started, known) {
            let own = python
                .path
                .iter()
                .filter(|folder| self.places.is_own(folder));
            roots.extend(own.cloned());
        }
        let mut compiled = Compiled::default();
        let mut open = started.files.clone();
        for module in &started.modules {
            let import = imports(&format!("from {module} import __main__"));
            open.extend(
                import
                    .iter()
                    .flat_map(|it| it.files(&self.places.base, &roots, &mut compiled)),
            );
        }
        let mut found: BTreeSet<PathBuf> = BTreeSet::new();
        while let Some(file) = open.pop() {
            let file = file.canonicalize().unwrap_or(file);
            if found.contains(&file) || found.len() >= MOST_FILES {
                continue;
            }
            let is_source = file.extension().is_some_and(|ending| ending == "py");
            if is_source && self.places.is_own(&file) {
                let mut near: Vec<PathBuf> =
                    file.parent().map(Path::to_owned).into_iter().collect();
                near.extend(roots.iter().cloned());
                for import in known.contents.imports(&file) {
                    let files = import.files(&file, &near, &mut compiled).into_iter();
                    open.extend(files.filter(|it| self.places.is_own(it)));
                }
            }
            found.insert(file);
        }
        found.into_iter().collect()
    }

    fn interpreter(&self, started: &Started, known: &mut Known) -> Option<Interpreter> {
        let python = started.python.clone()?;
        let ask = || {
            let mut environment = self.environment.clone();
            let path = started.python_path.clone();
            environment.extend(path.map(|path| (PYTHON_PATH.to_owned(), path)));
            Interpreter::ask(&python, &started.workdir, &environment)
        };
        let key = (python.clone(), started.python_path.clone());
        known.pythons.entry(key).or_insert_with(ask).clone()
    }

    fn packages(&self, started: &Started, known: &mut Known) -> Option<String> {
        let python = (started.python.clone()?, started.python_path.clone());
        if let Some(observed) = known.packages.get_mut(&python)
            && observed.is_current()
        {
            return Some(observed.hash.clone());
        }
        let interpreter = self.interpreter(started, known)?;
        let folders = all_seen(interpreter.path.clone());
        let now = Observed::new(interpreter.packages(), folders);
        note(
            CodePart::Packages,
            known.packages.get(&python),
            &now,
            &mut known.changed,
        );
        self.keep(&now, &mut known.kept);
        let hash = now.hash.clone();
        known.packages.insert(python, now);
        Some(hash)
    }

    fn watched(&self, known: &mut Known) -> Option<String> {
        if self.watch.is_empty() {
            return None;
        }
        if let Some(observed) = &mut known.watched
            && observed.is_current()
        {
            return Some(observed.hash.clone());
        }
        let (mut roots, mut below) = (CodeSet::new(), Below::default());
        for path in &self.watch {
            roots.insert(format!("{WATCHED_ROOT}{path}"), String::new());
            below.add(&self.places.base.join(path), Some(&self.places.data));
        }
        let now = Observed::of(below, roots, &mut known.contents, |file| {
            self.places.name(file)
        });
        note(
            CodePart::Watched,
            known.watched.as_ref(),
            &now,
            &mut known.changed,
        );
        self.keep(&now, &mut known.kept);
        let hash = now.hash.clone();
        known.watched = Some(now);
        Some(hash)
    }

    /// The files of a prepared task. It is copied before its first trial: what is changed meanwhile changes no trial of the
    /// run.
    fn prepared(&self, trial: &Trial<'_>, known: &mut Known) -> Option<String> {
        let Work::Prepared { dir, overrides, .. } = &trial.task.work else {
            return None;
        };
        let key = (dir.clone(), overrides.clone());
        if let Some(observed) = known.prepared.get_mut(&key)
            && observed.is_current()
        {
            return Some(observed.hash.clone());
        }
        let mut below = Below::default();
        let mut found = Vec::new();
        for path in overrides.iter().chain([dir]) {
            let at = find_path(&self.places.base, path);
            below.add(&at, None);
            found.push((at.canonicalize().unwrap_or(at), path));
        }
        // Named as the spec names the task: that stays when the project is moved.
        let name = |file: &Path| {
            let inside = |(at, path): &(PathBuf, &String)| {
                let inside = file.strip_prefix(at).ok()?;
                let parts = Path::new(path).components().chain(inside.components());
                Some(parts.collect::<PathBuf>().display().to_string())
            };
            found.iter().find_map(inside)
        };
        let now = Observed::of(below, CodeSet::new(), &mut known.contents, |file| {
            name(file).unwrap_or_else(|| self.places.name(file))
        });
        self.keep(&now, &mut known.kept);
        let hash = now.hash.clone();
        known.prepared.insert(key, now);
        Some(hash)
    }

    fn keep(&self, now: &Observed, kept: &mut BTreeSet<String>) {
        // What cannot be written is missing later, and only there.
        if let Some(run) = &self.keep
            && !now.set.is_empty()
            && kept.insert(now.hash.clone())
        {
            let _ = run.keep_code_set(&now.hash, &now.set);
        }
    }
}
