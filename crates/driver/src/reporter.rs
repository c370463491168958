//! Reporters of the user: Python functions that get the result files when a run has ended.

use crate::worker::python;
use fairtrial_experiment::Sources;
use fairtrial_hook::{Hook, HookError, run};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time that a reporter may take.
const LIMIT: Duration = Duration::from_mins(5);

/// Calls `module:function` with results and output folder, for a limited time.
pub fn report_with(
    sources: &Sources,
    base: &Path,
    reporter: &str,
    (output, results): (&Path, &[PathBuf]),
) -> Result<(), HookError> {
    let words = |path: &Path| path.display().to_string();
    let program = python(sources, base);
    let mut argv = vec![program.get_program().to_string_lossy().into_owned()];
    argv.extend(["-m", "fairtrial.report", "--path"].map(str::to_owned));
    argv.extend([words(base), reporter.to_owned(), words(output)]);
    argv.extend(results.iter().map(|file| words(file)));
    run(Hook {
        argv: &argv,
        dir: base,
        env: &[],
        input: b"",
        limit: LIMIT,
    })
    .map(drop)
}
