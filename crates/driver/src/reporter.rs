//! Reporters of the user: Python functions that get the result files when a run has ended.

use crate::worker::interpreter;
use fairtrial_experiment::Sources;
use fairtrial_process::{ProcessError, Program};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time that a reporter may take.
const LIMIT: Duration = Duration::from_mins(5);

/// Calls `module:function` with results and output folder, for a limited time.
pub fn report_with(
    sources: &Sources,
    base: &Path,
    reporter: &str,
    output: &Path,
    results: &[PathBuf],
) -> Result<(), ProcessError> {
    Program::new(interpreter(sources, base), LIMIT)
        .args(["-m", "fairtrial.report", "--path"])
        .args([base])
        .args([reporter])
        .args([output])
        .args(results)
        .dir(base)
        .run_quietly()
}
