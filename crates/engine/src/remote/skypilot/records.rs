//! Records that come back in the logs of jobs.

use crate::attempt_id::AttemptId;
use crate::chunk::{Chunk, ChunkDir};
use crate::remote::contract::{PlaceError, Submitted};
use fairtrial_journal::record_from_line;
use std::collections::HashMap;
use std::path::Path;

/// How a record begins in a log, behind SkyPilot's own words.
const RECORD: &str = "{\"event\":\"finished\",";

/// Puts the records of a job's log into the chunks' folders.
pub(super) fn take_records(batch: &Submitted, log: &str) -> Result<(), PlaceError> {
    let chunks = chunks_by_trial(&batch.folder);
    for line in log.lines() {
        let Some(start) = line.find(RECORD) else {
            continue;
        };
        let Ok(record) = record_from_line(&line.as_bytes()[start..]) else {
            continue;
        };
        let id = AttemptId {
            index: record.trial.index,
            attempt: record.attempt,
        };
        if let Some(dir) = chunks.get(&id) {
            dir.write_record(&record)?;
        }
    }
    Ok(())
}

/// Which chunk each attempt is in.
fn chunks_by_trial(folder: &Path) -> HashMap<AttemptId, ChunkDir> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = HashMap::new();
    for entry in entries {
        let dir = ChunkDir::at(entry.path());
        if let Ok(Chunk { trials, .. }) = dir.read() {
            found.extend(trials.into_iter().map(|id| (id, dir.clone())));
        }
    }
    found
}
