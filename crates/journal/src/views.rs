//! The files made from the journal for people and other tools. None of them holds anything of its own: [`write_all`]
//! makes them all again from the journal and the spec.
//!
//! Records are streamed from the journal into the manifest one at a time; the per-task files then copy their rows out
//! of the manifest, so that a result looks the same in both and is made once.

mod manifest;
mod row;
mod task_results;
mod task_rows;
mod temp_index;

pub use task_rows::MANIFEST_SCHEMA;

use crate::atomic::{Durability, write_atomic_bytes};
use crate::error::{At, JournalError};
use crate::record_text::RecordText;
use crate::run_dir::RunDir;
use crate::state::RunState;
use fairtrial_model::Record;
use fairtrial_spec::Spec;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Makes every view of a run from its journal and the spec: `manifest.json`, `runs.txt`, `task_results/` and the
/// original tool's temporary index. Gives back the fold of the journal that they were made from.
pub fn write_all(
    run: &RunDir,
    spec: &Spec,
    durability: Durability,
) -> Result<RunState, JournalError> {
    let state = RunState::read(&run.journal())?;
    write_from(run, spec, &state, durability)?;
    Ok(state)
}

/// The same for who has folded the journal already.
pub fn write_from(
    run: &RunDir,
    spec: &Spec,
    state: &RunState,
    durability: Durability,
) -> Result<(), JournalError> {
    let rows = manifest::write(run, spec, state, durability)?;
    let folder = run.task_results();
    fs::create_dir_all(&folder).at("create", &folder)?;
    task_results::write(run, rows.by_task(), durability)?;
    temp_index::write(run, &rows, durability)
}

/// Writes a trial's own copy of its record, `record.json` in its directory. There is no older one to be torn; an attempt
/// that never had a directory has no copy.
pub fn write_record(dir: &Path, text: &RecordText) -> Result<(), JournalError> {
    let path = dir.join("record.json");
    match File::create_new(&path) {
        Ok(mut file) => {
            let written = file.write_all(text.with_newline());
            if written.is_err() {
                // A part of it would be taken for a record that somebody changed.
                let _ = fs::remove_file(&path);
            }
            written.at("write", &path)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).at("create", &path),
    }
}

/// Puts another copy in the place of a trial's own: what ended it was found out after it was written.
pub fn replace_record(dir: &Path, record: &Record) -> Result<(), JournalError> {
    if !dir.exists() {
        return Ok(());
    }
    let path = dir.join("record.json");
    let text = RecordText::of(record).map_err(|error| JournalError::Content {
        path: path.clone(),
        message: error.to_string(),
    })?;
    write_atomic_bytes(&path, Durability::Process, text.with_newline())
}
