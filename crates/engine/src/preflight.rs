//! What must be there before the first trial starts, found for all tasks at once.

use crate::capacity::Capacity;
use fairtrial_model::{HardwareCounter, MetricDeclaration, MetricSource};
use fairtrial_plan::{Placement, Plan, Trial};
use fairtrial_spec::{EngineKind, Task, Template, Work, env_references, expand_env};
use fairtrial_trial::cannot_count;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
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
    /// Something that the processor does not count here.
    #[error(
        "metric `{metric}`: {} cannot be counted here: {why}. `fairtrial bench --counter callgrind` counts instructions by \
         valgrind; its guide says how a spec does", counter.words()
    )]
    Counter {
        /// The metric.
        metric: String,
        /// What it counts.
        counter: HardwareCounter,
        /// Why not.
        why: String,
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

/// Everything that a run of this plan would miss on this machine, with this environment.
pub fn preflight(plan: &Plan, environment: &[(String, String)]) -> Vec<Missing> {
    let spec = plan.spec();
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
    missing.extend(missing_workdirs(plan, set));
    if spec.engine.kind == EngineKind::Local {
        let room = Capacity::of_this_machine(spec);
        let lacking = spec.tasks.iter().filter_map(|task| {
            let asked = room.refusal(&task.resources)?;
            let task = task.id.clone();
            Some(Missing::Room { task, asked })
        });
        missing.extend(lacking);
        missing.extend(spec.metrics.iter().filter_map(uncounted));
    }
    missing.dedup();
    missing
}

/// A metric that this machine cannot count.
fn uncounted(metric: &MetricDeclaration) -> Option<Missing> {
    let MetricSource::Resource { field, .. } = &metric.source else {
        return None;
    };
    let counter = HardwareCounter::named(field)?;
    let why = cannot_count(counter)?;
    let metric = metric.name.clone();
    Some(Missing::Counter {
        metric,
        counter,
        why,
    })
}

/// What only a run decides, before there is one.
const FIRST: Placement<'static> = Placement {
    dir: "{dir}",
    trial: "{trial}",
    run: "{run}",
    attempt: 1,
    // It is made with the trial as well.
    checkpoint: Some("{dir}"),
};

/// The first working directory of each task that depends on the trial and is not there. One below `{dir}` is made with the
/// trial's own; one of a task that waits for others may be made by those.
fn missing_workdirs<'e>(plan: &Plan, set: impl Fn(&str) -> Option<&'e str>) -> Vec<Missing> {
    let depends = |task: &Task| {
        let text = task.workdir.as_deref();
        text.is_some() && plain(text).is_none() && task.needs.is_empty()
    };
    let mut open: BTreeSet<usize> = plan
        .spec()
        .tasks
        .iter()
        .filter(|task| depends(task))
        .map(|task| task.place)
        .collect();
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for trial in plan.trials() {
        if open.is_empty() {
            break;
        }
        if !open.contains(&trial.task.place) {
            continue;
        }
        let path = workdir(plan, &trial, &set).filter(|path| seen.insert(path.clone()));
        if let Some(path) = path.filter(|path| !path.is_dir()) {
            open.remove(&trial.task.place);
            let task = trial.key.task.clone();
            found.push(Missing::Workdir { task, path });
        }
    }
    found
}

/// The working directory of a trial, as far as it is known before the run; nothing where it is below the trial's own.
fn workdir<'e>(
    plan: &Plan,
    trial: &Trial<'_>,
    set: impl Fn(&str) -> Option<&'e str>,
) -> Option<PathBuf> {
    let text = trial.task.workdir.as_deref()?;
    if text.starts_with("{dir}") {
        return None;
    }
    let text = trial.expand_to_resolve(text, &FIRST).ok()?;
    let text = expand_env(&text, |name| set(name).map(Cow::Borrowed)).ok()?;
    Some(Path::new(&plan.spec().base_dir).join(text))
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
