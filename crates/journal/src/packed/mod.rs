//! Files of trials that left little, in one file of their run: a folder for each takes more room than what is in it.
//!
//! `packed.jsonl` is only appended to. The journal's record of a trial says which of its lines are the trial's and what their
//! hash is, so that nothing has to be looked for, a line that was cut off by a kill is nobody's, and one that was changed
//! is noticed.

mod files_of_trials;
mod packed_file;
mod packer;
mod script;
mod small;

pub use files_of_trials::{FilesOfTrial, FilesOfTrials, TrialFile};
pub use packer::Packer;
pub use small::{
    FolderFiles, LOG_NAMES, PutAwayFiles, RECORD_NAME, SCRIPT_NAME, put_back, remove_small,
    small_files,
};

#[cfg(test)]
mod tests;
