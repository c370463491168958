//! What the drivers inside of trials share: how they are asked, and how they speak. What they print goes into the trial's
//! log.

use crate::exit::Exit;
use serde::de::DeserializeOwned;
use std::process::ExitCode;

/// The file with what all trials of a task share, and the argument with what is the trial's own.
pub(crate) fn requests<T: DeserializeOwned, O: DeserializeOwned>(
    task: &str,
    trial: &str,
) -> Result<(T, O), String> {
    let text = std::fs::read(task).map_err(|error| format!("{task}: {error}"))?;
    let task = serde_json::from_slice(&text).map_err(|error| format!("{task}: {error}"))?;
    let trial = serde_json::from_str(trial).map_err(|error| format!("the trial: {error}"))?;
    Ok((task, trial))
}

#[allow(clippy::print_stdout, reason = "what a trial prints goes into its log")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

#[allow(clippy::print_stderr, reason = "what a trial prints goes into its log")]
pub(crate) fn complain(text: &str) {
    eprintln!("{text}");
}

/// Says why nothing could be done; the machine is to blame.
pub(crate) fn broken(message: &str) -> ExitCode {
    complain(message);
    Exit::Machine.into()
}
