//! Finds experiments: those that are built in, those of Python modules, and those of programs.

use crate::instruments;
use crate::worker::{DEFAULT_INTERPRETER, Lost, WorkerProcess, interpreter};
use fairtrial_experiment::protocol::{Reply, Request, VERSION};
use fairtrial_experiment::{
    Catalogue, Description, ImportedModule, InstrumentInfo, Lookup, LookupError, Origin, Sources,
};
use fairtrial_process::{ProcessError, Program};
use serde::Deserialize;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long Python may take to read the source of modules, and to import those whose source does not say all.
const PYTHON_LIMIT: Duration = Duration::from_mins(3);
/// How long a program may take to say what it offers.
const PATIENCE: Duration = Duration::from_secs(10);

/// The experiments of this program, and the way to all others.
#[derive(Debug)]
pub struct Experiments {
    builtin: Vec<Description>,
}

impl Experiments {
    /// With these built in.
    pub fn new(builtin: Vec<Description>) -> Self {
        Self { builtin }
    }
}

impl Catalogue for Experiments {
    fn look_up(&self, sources: &Sources, base: &Path) -> (Lookup, Vec<LookupError>) {
        let builtin = self.builtin.iter().cloned();
        let mut found = Lookup {
            experiments: builtin
                .map(|described| (described, Origin::Builtin))
                .collect(),
            instruments: instruments::known(),
            ..Lookup::default()
        };
        let mut broken = Vec::new();
        if !sources.python.is_empty() {
            match of_python(sources, base) {
                Ok(offer) => take_python(offer, &mut found, &mut broken),
                Err(error) => broken.push(error),
            }
        }
        for program in &sources.rust {
            match of_program(program, base) {
                Ok((experiments, instruments)) => {
                    let origin = Origin::Program {
                        program: program.clone(),
                    };
                    for described in experiments {
                        add(&mut found, described, origin.clone(), &mut broken);
                    }
                    found.instruments.extend(instruments);
                }
                Err(error) => broken.push(error),
            }
        }
        (found, broken)
    }
}

/// Adds an experiment whose name is free, or only that of a built-in one: what users name themselves is what they mean.
fn add(found: &mut Lookup, described: Description, origin: Origin, broken: &mut Vec<LookupError>) {
    let taken = found
        .experiments
        .iter_mut()
        .find(|(known, _)| known.slug == described.slug);
    match taken {
        Some(builtin) if builtin.1 == Origin::Builtin => {
            found.replaced.push(described.slug.clone());
            *builtin = (described, origin);
        }
        None => found.experiments.push((described, origin)),
        Some((known, first)) => broken.push(LookupError {
            source_name: match &origin {
                Origin::Program { program } => program.clone(),
                Origin::Python { module } => module.clone(),
                Origin::Builtin => String::new(),
            },
            message: format!(
                "the experiment `{}` is there twice: {first} and {origin}",
                known.slug
            ),
            help: "rename one of the two".to_owned(),
        }),
    }
}

/// What `python -m fairtrial.discover` prints.
#[derive(Debug, Deserialize)]
struct PythonOffer {
    experiments: Vec<PythonExperiment>,
    #[serde(default)]
    instruments: Vec<InstrumentInfo>,
    #[serde(default)]
    problems: Vec<PythonProblem>,
    #[serde(default)]
    imported: Vec<ImportedModule>,
}

#[derive(Debug, Deserialize)]
struct PythonExperiment {
    module: String,
    #[serde(flatten)]
    description: Description,
}

#[derive(Debug, Deserialize)]
struct PythonProblem {
    module: String,
    message: String,
}

/// Asks Python. It reads the source of the modules, and imports those whose source does not say all.
fn of_python(sources: &Sources, base: &Path) -> Result<PythonOffer, LookupError> {
    let named = sources
        .interpreter
        .as_deref()
        .unwrap_or(DEFAULT_INTERPRETER);
    let refused = |message: String, help: &str| LookupError {
        source_name: sources.python.first().cloned().unwrap_or_default(),
        message,
        help: help.to_owned(),
    };
    let discover = Program::new(interpreter(sources, base), PYTHON_LIMIT)
        .args(["-m", "fairtrial.discover", "--path"])
        .args([base])
        .args(&sources.python)
        .dir(base);
    let ended = discover.run().map_err(|error| {
        let how = match error {
            ProcessError::Start { .. } => "cannot be started",
            _ => "did not say what it offers",
        };
        let message = format!("the Python interpreter `{named}` {how}: {}", error.reason());
        refused(
            message,
            "name another one: [experiments] interpreter = \".venv/bin/python\"",
        )
    })?;
    let said = &ended.said;
    if said.contains("No module named fairtrial") || said.contains("'fairtrial.discover'") {
        let message = format!("the Python package `fairtrial` is not installed for `{named}`");
        return Err(refused(message, "install it: `pip install fairtrial`"));
    }
    serde_json::from_slice(&ended.stdout).map_err(|error| {
        let last = said.lines().last().unwrap_or("nothing").to_owned();
        let message = format!("Python could not look for experiments: {error}; it said: {last}");
        refused(
            message,
            "run `python3 -m fairtrial.discover MODULE` to see all of it",
        )
    })
}

fn take_python(offer: PythonOffer, found: &mut Lookup, broken: &mut Vec<LookupError>) {
    for PythonProblem { module, message } in offer.problems {
        broken.push(LookupError {
            source_name: module,
            message,
            help: "modules are looked for in the spec's folder and on Python's path".to_owned(),
        });
    }
    for PythonExperiment {
        module,
        description,
    } in offer.experiments
    {
        add(found, description, Origin::Python { module }, broken);
    }
    found.instruments.extend(offer.instruments);
    found.imported.extend(offer.imported);
}

/// Asks a program what it offers.
fn of_program(
    program: &str,
    base: &Path,
) -> Result<(Vec<Description>, Vec<InstrumentInfo>), LookupError> {
    let refused = |message: String| LookupError {
        source_name: program.to_owned(),
        message: format!("`{program}`: {message}"),
        help:
            "it must speak the worker protocol (docs/reference/worker-protocol.md); build it first"
                .to_owned(),
    };
    let mut command = Command::new(base.join(program));
    // A script is ended with the program that it wraps.
    command
        .current_dir(base)
        .stdout(Stdio::null())
        .process_group(0);
    let mut worker = WorkerProcess::start(command).map_err(|error| {
        refused(match error.kind() {
            io::ErrorKind::NotFound => "there is no such program".to_owned(),
            _ => error.to_string(),
        })
    })?;
    let described = describe(&mut worker);
    worker.kill();
    described.map_err(|lost| refused(lost.to_string()))
}

fn describe(worker: &mut WorkerProcess) -> Result<(Vec<Description>, Vec<InstrumentInfo>), Lost> {
    worker.ask(&Request::Describe { protocol: VERSION })?;
    let never = AtomicBool::new(false);
    loop {
        match worker.hear_within(&never, Some(PATIENCE))?.reply {
            Reply::Described {
                experiments,
                instruments,
                ..
            } => return Ok((experiments, instruments)),
            Reply::Error { message, .. } => return Err(Lost::Garbage(message)),
            _ => {}
        }
    }
}
