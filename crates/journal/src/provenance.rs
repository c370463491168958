//! Where a run happened: the machine, its tools, the state of the source, and the few environment variables that
//! change results. What cannot be seen is absent, never guessed.

mod changes;
pub(crate) mod host;
mod variables;
mod vcs;

pub use changes::{Changes, Patch, UntrackedFile, changes_name, hash_of_file};
pub use host::{Host, host_name, physical_cores};
pub use variables::{DEFAULT_VARIABLES, recorded_variables};
pub use vcs::{Vcs, VcsLook, VcsState};

use crate::redact::Redactor;
use fairtrial_model::UtcTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Version of `environment.json`.
pub const ENVIRONMENT_SCHEMA: u32 = 1;

/// Programs whose version is recorded where they are installed.
const TOOLS: [&str; 3] = ["git", "python3", "cc"];

/// What `environment.json` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// [`ENVIRONMENT_SCHEMA`].
    pub schema: u32,
    /// When it was looked at.
    pub captured_at: UtcTime,
    /// Version of Fairtrial.
    pub fairtrial: String,
    /// The machine.
    pub host: Host,
    /// First line of `--version` of the programs that are there.
    pub tools: BTreeMap<String, String>,
    /// The state of the source.
    pub vcs: Vcs,
    /// Environment variables, by allow list only.
    pub variables: BTreeMap<String, String>,
}

/// What to look at.
#[derive(Debug, Clone)]
pub struct CaptureOptions {
    /// A folder in the source tree: the spec's.
    pub source_dir: PathBuf,
    /// The data root, whose files are not changes of the source.
    pub data_root: PathBuf,
    /// The caller's environment.
    pub environment: Vec<(String, String)>,
    /// Patterns of further variables to record (`provenance.env` of the spec).
    pub variables: Vec<String>,
    /// Programs whose version is recorded besides those of every run.
    pub programs: Vec<String>,
    /// Version of Fairtrial.
    pub version: String,
    /// The time now.
    pub now: UtcTime,
    /// A look at the source that somebody began already.
    pub vcs: Option<Arc<VcsLook>>,
}

/// Looks at everything. Other programs are asked with a time limit of a few seconds each.
pub fn capture(options: &CaptureOptions) -> Environment {
    let host = Host::read();
    let redactor = Redactor::from_env(
        options
            .environment
            .iter()
            .map(|(name, value)| (name, value)),
    );
    let (tools, vcs) = thread::scope(|scope| {
        let ask = |tool: &str| fairtrial_process::version(tool).ok();
        let tools = TOOLS
            .into_iter()
            .chain(options.programs.iter().map(String::as_str));
        let versions: Vec<_> = tools
            .map(|tool| {
                let asked = thread::Builder::new().spawn_scoped(scope, move || ask(tool));
                (tool, asked)
            })
            .collect();
        let vcs = match &options.vcs {
            Some(look) => look.get().clone(),
            None => vcs::read(&options.source_dir, &options.data_root, &redactor),
        };
        let found = versions.into_iter().map(|(tool, asked)| match asked {
            Ok(asked) => (tool, asked.join().ok().flatten()),
            // No thread to be had: one after the other.
            Err(_) => (tool, ask(tool)),
        });
        (found.collect::<Vec<_>>(), vcs)
    });
    let known = tools
        .into_iter()
        .filter_map(|(tool, line)| Some((tool, line?)));
    Environment {
        schema: ENVIRONMENT_SCHEMA,
        captured_at: options.now,
        fairtrial: options.version.clone(),
        host,
        tools: known
            .map(|(tool, line)| (tool.to_owned(), redactor.redact(&line).into_owned()))
            .collect(),
        vcs,
        variables: recorded_variables(&options.environment, &options.variables, &redactor),
    }
}

/// A capture that goes on while the run starts, or, where no thread can be had, is made when it is asked for.
#[derive(Debug)]
pub struct Capture {
    options: CaptureOptions,
    thread: Option<JoinHandle<Environment>>,
}

impl Capture {
    /// Starts looking on a thread of its own.
    pub fn start(options: CaptureOptions) -> Self {
        let thread = thread::Builder::new().name("provenance".into());
        let look = options.clone();
        let thread = thread.spawn(move || capture(&look)).ok();
        Self { options, thread }
    }

    /// Whether there is no thread that [`Capture::finish`] would wait for.
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the result.
    pub fn finish(self) -> Environment {
        match self.thread {
            Some(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => capture(&self.options),
        }
    }
}
