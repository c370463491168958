//! The folders of trials whose files are packed in a file of their run, made again for whoever wants to look into them.

use crate::error::SessionError;
use crate::no_log::NoLog;
use crate::run::state_of;
use crate::session::Session;
use fairtrial_journal::{FilesOfTrials, RecordFile, RunDir, resolved_spec};
use std::path::PathBuf;

/// What came of unpacking.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// The folders that were made, or completed.
    pub folders: Vec<PathBuf>,
    /// How many trials have a folder in any case.
    pub others: u64,
}

impl Session {
    /// Makes the folder of a trial, or of all trials of a run, with the files that were packed. What is there stays.
    pub fn unpack(&self, run: &RunDir, trial: Option<u64>) -> Result<Unpacked, SessionError> {
        run.open_to_changes()?;
        let state = state_of(run)?;
        let access = resolved_spec(run)?.access;
        let mut journal = RecordFile::open(&run.journal())?;
        let mut files = FilesOfTrials::of(run.root());
        let mut unpacked = Unpacked::default();
        let wanted = |index: u64| trial.is_none_or(|trial| trial == index);
        for (index, known) in state.trials().filter(|(index, _)| wanted(*index)) {
            let Some(record) = journal.record(known)? else {
                continue;
            };
            if record.packed.is_none() {
                unpacked.others += 1;
                continue;
            }
            let files = files.files(&record)?;
            if files.packed().is_empty() {
                let message = format!(
                    "the run that ran trial {index} is gone, and with it what the trial left"
                );
                return Err(SessionError::Input(message));
            }
            files.unpack(access)?;
            unpacked.folders.push(files.dir().to_owned());
        }
        if let (Some(trial), true, 0) = (trial, unpacked.folders.is_empty(), unpacked.others) {
            let trials = state.opened.as_ref().map_or(0, |opened| opened.trials);
            let name = run.name().to_owned();
            return Err(NoLog::NotStarted {
                trial,
                name,
                trials,
            }
            .into());
        }
        Ok(unpacked)
    }
}
