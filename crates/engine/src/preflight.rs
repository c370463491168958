//! What must be there before the first trial starts, found for all tasks at once.

use crate::capacity::Capacity;
use fairtrial_spec::{EngineKind, Spec, Template, Work, env_references};
use std::path::{Path, PathBuf};

/// Something that is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// A program that is not there.
    #[error("task `{task}`: program `{program}` is not found{}", if *in_path { " in PATH" } else { "" })]
    Program {
        /// The task.
        task: String,
        /// The program.
        program: String,
        /// Whether it was looked for in `PATH`.
        in_path: bool,
    },
    /// An environment variable that is not set.
    #[error(
        "task `{task}`: environment variable `{name}` is not set (the spec refers to it as `${{{name}}}`)"
    )]
    Variable {
        /// The task.
        task: String,
        /// The variable.
        name: String,
    },
    /// More than this machine has.
    #[error(
        "task `{task}` asks for {asked} that this machine lends: lower `resources`, or raise what `engine` lends"
    )]
    Room {
        /// The task.
        task: String,
        /// What it asks for, and what there is.
        asked: String,
    },
    /// A working directory that is not there.
    #[error("task `{task}`: working directory {} is not there", path.display())]
    Workdir {
        /// The task.
        task: String,
        /// The directory.
        path: PathBuf,
    },
}

/// Everything that a run of this spec would miss on this machine, with this environment.
pub fn preflight(spec: &Spec, environment: &[(String, String)]) -> Vec<Missing> {
    let mut missing = Vec::new();
    let set = |name: &str| {
        environment
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    for task in &spec.tasks {
        let id = &task.id;
        let texts = task.env.values().chain(task.workdir.as_ref());
        let texts = texts.chain(task.work.env_words());
        for name in texts.flat_map(|text| env_references(text)) {
            if set(name).is_none() {
                missing.push(Missing::Variable {
                    task: id.clone(),
                    name: name.to_owned(),
                });
            }
        }
        let workdir =
            plain(task.workdir.as_deref()).map(|workdir| Path::new(&spec.base_dir).join(workdir));
        if let Some(path) = workdir.as_ref().filter(|path| !path.is_dir()) {
            missing.push(Missing::Workdir {
                task: id.clone(),
                path: path.clone(),
            });
        }
        if let Work::Command { argv, shell: false } = &task.work {
            let from = workdir.unwrap_or_else(|| PathBuf::from(&spec.base_dir));
            let path = task
                .env
                .get("PATH")
                .map(String::as_str)
                .or_else(|| set("PATH"));
            missing.extend(missing_program(id, argv.first(), &from, path));
        }
    }
    if spec.engine.kind == EngineKind::Local {
        let room = Capacity::of_this_machine(spec);
        let lacking = spec.tasks.iter().filter_map(|task| {
            let asked = room.refusal(&task.resources)?;
            let task = task.id.clone();
            Some(Missing::Room { task, asked })
        });
        missing.extend(lacking);
    }
    missing.dedup();
    missing
}

/// A text without placeholders and references, which alone can be checked before there is a trial.
fn plain(text: Option<&str>) -> Option<&str> {
    text.filter(|text| {
        Template::parse(text).names().next().is_none() && env_references(text).is_empty()
    })
}

fn missing_program(
    task: &str,
    program: Option<&String>,
    from: &Path,
    path: Option<&str>,
) -> Option<Missing> {
    let program = plain(program.map(String::as_str))?;
    let in_path = !program.contains('/');
    let found = if in_path {
        let folders = path.unwrap_or("/usr/local/bin:/usr/bin:/bin").split(':');
        folders
            .into_iter()
            .any(|folder| Path::new(folder).join(program).is_file())
    } else {
        from.join(program).is_file()
    };
    (!found).then(|| Missing::Program {
        task: task.to_owned(),
        program: program.to_owned(),
        in_path,
    })
}
