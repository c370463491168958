//! What those who died left running.

use fairtrial_journal::RunDir;
use std::ffi::OsStr;
use std::path::Path;

/// Ends what trials of a controller that died, and whose launchers died too, left running: the machine must be free
/// of them before anything is measured on it, and nobody else may work in a trial's directory.
pub(crate) fn end_of(run: &RunDir) {
    let (folder, start) = (run.root().runs_dir(), format!("{}-", run.stamp()));
    let is_ours = |dir: &Path| {
        let name = dir.file_name().map(OsStr::to_string_lossy);
        dir.parent() == Some(&folder) && name.is_some_and(|name| name.starts_with(&start))
    };
    fairtrial_trial::end_strays(is_ours);
}
