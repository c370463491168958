//! Reporters of the user: Python functions that get the result files when a run has ended.

use crate::worker::python;
use fairtrial_experiment::Sources;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Calls `module:function` with results and output folder; what went wrong comes back in words.
pub fn report_with(
    sources: &Sources,
    base: &Path,
    reporter: &str,
    (output, results): (&Path, &[PathBuf]),
) -> Result<(), String> {
    let mut command = python(sources, base);
    command.args(["-m", "fairtrial.report", "--path"]);
    command.arg(base).arg(reporter).arg(output).args(results);
    command.current_dir(base).stdin(Stdio::null());
    let ran = command.output().map_err(|error| error.to_string())?;
    if ran.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    Err(said
        .lines()
        .last()
        .unwrap_or("it ended without a word")
        .to_owned())
}
