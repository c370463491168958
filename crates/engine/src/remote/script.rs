//! The script that a scheduler runs for each element: some lines of the user's, then this binary with a chunk's number.

use super::contract::{Batch, PlaceError};
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_text::shell_word::shell_word;
use std::path::{Path, PathBuf};

/// What differs between schedulers.
pub(super) struct Script<'a> {
    /// The binary on the node.
    pub(super) program: &'a Path,
    /// The element's number, in the shell's words.
    pub(super) element: &'a str,
    /// Number of the first element.
    pub(super) first: u64,
    /// Lines that prepare the node.
    pub(super) setup: Option<&'a str>,
    /// Name under which the script keeps what it writes, where the scheduler does not.
    pub(super) log: Option<&'a str>,
}

/// The text of a batch's script.
pub(super) fn text(batch: &Batch, script: &Script<'_>) -> String {
    let setup = script
        .setup
        .map_or(String::new(), |setup| format!("{setup}\n"));
    let log = script.log.map_or(String::new(), |name| {
        let start = batch.folder.join(format!("{name}-")).display().to_string();
        let element = format!("$(({} - {}))", script.element, script.first);
        format!("exec >>{}{element}.log 2>&1\n", shell_word(&start))
    });
    let offset = i128::from(batch.chunks.start) - i128::from(script.first);
    // `exec`: the scheduler's signals must reach the runner, not a shell that waits for it.
    format!(
        "#!/bin/sh\n{log}{setup}exec {} exec --plan {} --chunk $(({} + {offset}))\n",
        shell_word(&script.program.display().to_string()),
        shell_word(&batch.plan.display().to_string()),
        script.element
    )
}

/// Writes it beside the chunks, executable.
pub(super) fn write(batch: &Batch, script: &Script<'_>) -> Result<PathBuf, PlaceError> {
    use std::os::unix::fs::PermissionsExt;
    let path = batch.file("sh");
    write_atomic_bytes(&path, Durability::Content, text(batch, script).as_bytes())?;
    let allowed = std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755));
    allowed.map_err(|source| fairtrial_journal::JournalError::Io {
        action: "make executable",
        path: path.clone(),
        source,
    })?;
    Ok(path)
}

/// What a job wrote into its log.
pub(super) fn read_log(engine: &'static str, path: &Path) -> Result<String, PlaceError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(PlaceError::Answer {
            engine,
            message: format!(
                "{}: {error}; the job may not have started yet",
                path.display()
            ),
        }),
    }
}
