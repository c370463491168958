//! What a trial starts: the files of its program, and the Python that runs them, as far as its command says.

use super::python::{is_python, of_first_line};
use fairtrial_agent::adapter::known_program;
use fairtrial_experiment::{Origin, Sources};
use fairtrial_plan::Trial;
use fairtrial_process::find_program;
use fairtrial_spec::{RolloutOptions, SandboxKind, Task, Work};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Programs that only start others.
const STARTERS: [&str; 14] = [
    "sh", "bash", "dash", "zsh", "ksh", "ash", "env", "nice", "time", "timeout", "stdbuf", "srun",
    "taskset", "uv",
];
/// Endings of files that an interpreter runs.
const SCRIPTS: [&str; 15] = [
    "py", "sh", "bash", "r", "R", "jl", "js", "mjs", "cjs", "ts", "rb", "pl", "lua", "ipynb", "awk",
];
/// The Python of experiments where the spec names none.
const DEFAULT_PYTHON: &str = "python3";

/// Where programs and files are looked for.
#[derive(Debug)]
pub(super) struct Places {
    /// The spec's folder.
    pub(super) base: PathBuf,
    /// The top of the work tree around it, or the folder itself.
    pub(super) project: PathBuf,
    /// The data root, whose files are no code.
    pub(super) data: PathBuf,
    /// `PATH`.
    pub(super) path: OsString,
}

impl Places {
    /// Whether a file belongs to the project: not what was installed into it, nor what runs left there.
    pub(super) fn is_own(&self, file: &Path) -> bool {
        file.starts_with(&self.project) && !self.is_made(file)
    }

    /// Whether a file was installed, or lies where runs leave theirs.
    fn is_made(&self, file: &Path) -> bool {
        let installed = |part: &std::ffi::OsStr| part == "site-packages" || part == "node_modules";
        let inside = file.strip_prefix(&self.project).unwrap_or(file);
        inside.iter().any(installed) || file.starts_with(&self.data)
    }

    /// The name of a file in a set: relative to the spec's folder where it is of the project.
    pub(super) fn name(&self, file: &Path) -> String {
        let from = |base: &Path, up: usize| {
            let inside = file.strip_prefix(base).ok()?;
            Some(format!("{}{}", "../".repeat(up), inside.display()))
        };
        let mut bases = self.base.ancestors().enumerate();
        let found = bases
            .by_ref()
            .take_while(|(_, base)| base.starts_with(&self.project))
            .find_map(|(up, base)| from(base, up));
        found.unwrap_or_else(|| file.display().to_string())
    }
}

/// What is started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Started {
    /// Files of programs and scripts.
    pub(super) files: Vec<PathBuf>,
    /// The Python among the programs.
    pub(super) python: Option<PathBuf>,
    /// Where that looks for modules besides, as the trial's own task says; absent where the caller's word holds.
    pub(super) python_path: Option<String>,
    /// Python modules by name.
    pub(super) modules: Vec<String>,
    /// Where Python is started: modules are looked for there too.
    pub(super) workdir: PathBuf,
    /// Whether it is built into this program.
    pub(super) builtin: bool,
}

impl Started {
    /// What a command starts in a folder.
    pub(super) fn by_command(words: &[String], workdir: &Path, places: &Places) -> Self {
        let mut started = Self {
            workdir: workdir.to_owned(),
            ..Self::default()
        };
        let mut words = words.iter().map(String::as_str);
        if let Some(program) = words.next() {
            started.program(program, places);
        }
        let mut before = "";
        for word in words {
            if before == "-c" && started.python.is_none() {
                // A shell's script: its words, whatever stands between them.
                let between = |c: char| c.is_whitespace() || ";|&<>()\"'`".contains(c);
                let mut before = "";
                for word in word.split(between).filter(|word| !word.is_empty()) {
                    started.argument(word, before, places);
                    before = word;
                }
            } else {
                started.argument(word, before, places);
            }
            before = word;
        }
        started
    }

    /// What an agent starts outside of its image: its program, and the scripts that it names by their whole paths. It is
    /// started in a workspace, so that other words name files of the task.
    pub(super) fn by_agent(trial: &Trial<'_>, options: &RolloutOptions, places: &Places) -> Self {
        let kind = options.sandbox.kind;
        if kind.is_some_and(|kind| kind.is_container() || kind == SandboxKind::Modal) {
            return Self::default();
        }
        let agent = &options.agent;
        let named = trial.params.get("agent").and_then(|name| name.as_str());
        let words = if let Some(program) = known_program(named.unwrap_or(&agent.name)) {
            vec![program.to_owned()]
        } else {
            let expand = |text: &String| trial.expand(text, None).unwrap_or_else(|_| text.clone());
            agent.command.iter().map(expand).collect()
        };
        Self::by_command(&words, Path::new("/"), places)
    }

    /// What runs an experiment.
    pub(super) fn by_origin(origin: Option<&Origin>, sources: &Sources, places: &Places) -> Self {
        let mut started = Self {
            workdir: places.base.clone(),
            ..Self::default()
        };
        match origin {
            None | Some(Origin::Builtin) => started.builtin = true,
            Some(Origin::Program { program }) => started.files.push(places.base.join(program)),
            Some(Origin::Python { module }) => {
                let named = sources.interpreter.as_deref().unwrap_or(DEFAULT_PYTHON);
                started.python(named, places);
                started.modules.push(module.clone());
            }
        }
        started
    }

    /// The first word of a command.
    fn program(&mut self, word: &str, places: &Places) {
        let name = word.rsplit('/').next().unwrap_or(word);
        if is_python(word) {
            return self.python(word, places);
        }
        if name == "uv" {
            let own = self.workdir.join(".venv/bin/python");
            self.python = own.is_file().then_some(own);
        }
        if STARTERS.contains(&name) {
            return;
        }
        let place = if word.contains('/') {
            Some(self.workdir.join(word)).filter(|file| file.is_file())
        } else {
            find_program(word, &places.path)
        };
        if let Some(file) = place {
            self.python = of_first_line(&file, &places.path);
            self.files.push(file);
        }
    }

    fn python(&mut self, word: &str, places: &Places) {
        self.python = if word.contains('/') {
            Some(self.workdir.join(word))
        } else {
            find_program(word, &places.path)
        };
    }

    /// A further word, and the one before it.
    fn argument(&mut self, word: &str, before: &str, places: &Places) {
        if before == "-m" && self.python.is_some() {
            self.modules.push(word.to_owned());
        } else if is_python(word) && self.python.is_none() {
            self.python(word, places);
        } else {
            let file = self.workdir.join(word);
            let is_ours = places.is_own(&file) && is_run(&file);
            let is_named = word.starts_with('/') && is_script(&file) && !places.is_made(&file);
            if !word.starts_with('-') && (is_ours || is_named) {
                if self.python.is_none() {
                    self.python = of_first_line(&file, &places.path);
                }
                self.files.push(file);
            }
        }
    }
}

/// Whether a file is there that is run rather than read: a script, or something that may be executed.
fn is_run(file: &Path) -> bool {
    let Ok(data) = std::fs::metadata(file) else {
        return false;
    };
    data.is_file() && (is_script(file) || data.permissions().mode() & 0o111 != 0)
}

/// Whether a file is there that is a script by its name.
fn is_script(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| SCRIPTS.contains(&ending)) && file.is_file()
}

/// What only a placed trial knows, which names no program.
const OF_THE_TRIAL: [&str; 7] = ["dir", "trial", "run", "attempt", "seed", "rollout", "index"];

/// Whether all trials of a task start the same, whatever else differs.
pub(super) fn is_fixed(task: &Task) -> bool {
    let argv = match &task.work {
        Work::Command { argv, .. } => argv,
        Work::Experiment { .. } | Work::Imported { .. } => return true,
        // Its arms may name agents.
        Work::Prepared { .. } => return false,
    };
    let texts = argv.iter().chain(&task.workdir);
    texts.into_iter().all(|text| {
        let mut text = text.clone();
        for name in OF_THE_TRIAL {
            text = text.replace(&format!("{{{name}}}"), "");
        }
        !text.contains('{')
    })
}
