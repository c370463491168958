//! Task formats. Each is one file that knows its own; what follows meets only [`AgentTask`].

mod contract;
mod folder;
mod harbor;
mod harbor_config;
mod overrides;
mod prepared;
mod terminal_bench;

pub use overrides::Overrides;

use crate::error::AgentError;
use crate::findings::Findings;
use crate::task::{AgentTask, ReadTask};
pub use contract::TaskFormat;
use fairtrial_model::Sha256;
use std::path::Path;

/// Every format, in the order in which they are tried.
const FORMATS: [&dyn TaskFormat; 3] = [
    &prepared::PreparedDir,
    &harbor::Harbor,
    &terminal_bench::TerminalBench,
];

/// How a task of a spec is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// The task's folder.
    pub dir: &'a Path,
    /// The overrides file that the spec names.
    pub overrides: Option<&'a Path>,
    /// Whether overrides apply.
    pub apply_overrides: bool,
    /// A token for private repositories.
    pub token: Option<&'a str>,
}

/// Reads a task and applies its overrides. A file `overrides.json` beside the task applies where the spec names none.
pub fn read_task(reading: &Reading<'_>, findings: &mut Findings) -> Result<ReadTask, AgentError> {
    let Some(format) = FORMATS.iter().find(|format| format.recognises(reading.dir)) else {
        let known: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
        return Err(AgentError::Content {
            path: reading.dir.to_owned(),
            message: format!("it holds no task of a known kind ({})", known.join(", ")),
        });
    };
    let mut task = format.read(reading.dir, findings)?;
    if reading.apply_overrides {
        let beside = reading.dir.join("overrides.json");
        let file = match reading.overrides {
            Some(file) => Some(file),
            None => beside.is_file().then_some(beside.as_path()),
        };
        if let Some(file) = file {
            Overrides::read(file, findings)?.apply(&mut task);
            contained_overrides(&mut task, findings);
        }
    }
    if let Some(commit) = crate::baseline::pin(&mut task, reading.token)? {
        findings.warn(format!(
            "no start commit is named; the branch is at {commit} now, and another day's run may start elsewhere"
        ));
    }
    let digest = digest(&task)?;
    Ok(ReadTask { task, digest })
}

/// What overrides say reaches a task in one container as far as there is a place for it.
fn contained_overrides(task: &mut AgentTask, findings: &mut Findings) {
    let Some(contained) = &mut task.contained else {
        return;
    };
    let elsewhere = !task.files.is_empty()
        || !task.inputs.is_empty()
        || !task.removed.is_empty()
        || !task.rubrics.is_empty()
        || !task.tests.is_empty()
        || task.repo.is_some()
        || task.evaluation_script.is_some();
    if elsewhere {
        findings.error(format!(
            "a task of {} takes `prompt` and `environment_variables` of overrides, and nothing else",
            contained.format
        ));
    }
    if let [step] = &mut contained.steps[..] {
        step.instructions.clone_from(&task.instructions);
    }
}

fn digest(task: &AgentTask) -> Result<String, AgentError> {
    let text = serde_json::to_vec(task).map_err(|error| AgentError::Content {
        path: task.id.clone().into(),
        message: error.to_string(),
    })?;
    let mut hash = Sha256::new();
    hash.update(format!("fairtrial task {}\n", crate::baseline::VERSION));
    hash.update(text);
    Ok(fairtrial_model::hex(&hash.finalize()[..16]))
}
