//! Runs as archives, and as folders again.

use crate::error::SessionError;
use crate::session::Session;
use fairtrial_journal::{
    ArchiveOptions, Archived, RunDir, RunState, RunStatus, archive_run, restore_run,
};

impl Session {
    /// Makes an archive of a run that ended. A run that can go on stays as it is.
    pub fn archive(&self, run: &RunDir, options: ArchiveOptions) -> Result<Archived, SessionError> {
        let label = format!("run {} {}", run.name(), run.stamp());
        if self.in_place().holds(run) {
            let message = "these results were left by another tool, and are read where they lie: `import` them first";
            return Err(SessionError::Input(message.to_owned()));
        }
        run.open_to_changes()?;
        let state = RunState::read(&run.journal())?;
        match state.closed() {
            None => {
                let message =
                    format!("{label} did not end: `run --resume` finishes it, `cancel` ends it");
                Err(SessionError::Input(message))
            }
            Some((_, RunStatus::Detached)) => {
                let message = format!("a scheduler may still work on {label}: `wait` for it");
                Err(SessionError::Input(message))
            }
            Some(_) => Ok(archive_run(run, options, (self.caller().now)())?),
        }
    }

    /// Makes the folders of an archived run again.
    pub fn restore(&self, run: &RunDir, options: ArchiveOptions) -> Result<Archived, SessionError> {
        if !run.is_archived() && !run.archive_file().is_file() {
            let message = format!("run {} {} is not archived", run.name(), run.stamp());
            return Err(SessionError::Input(message));
        }
        Ok(restore_run(run, options)?)
    }
}
