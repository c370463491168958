//! A part: some records of a chunk, all that their trials left, and a sign of life, as one object.

use super::{MOST_OF_A_TRIAL, Sign};
use crate::attempt_id::AttemptId;
use crate::chunk::{Chunk, ChunkDir, Owner};
use fairtrial_journal::{Fresh, JournalError, RunDir};
use fairtrial_model::Record;
use fairtrial_store::{StoreError, pack, unpack};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The sign of life in a part. It is the last of its files.
const SIGN: &str = "sign.json";
/// How folders begin, beside the chunks', in which parts are unpacked.
const ARRIVING: &str = ".part-";
/// In a trial's folder, the names of its files that were too large to travel.
const NOT_BROUGHT: &str = "not-brought.txt";

/// Makes a part of these attempts, whose records are in the chunk's folder.
pub(crate) fn make(
    run: &RunDir,
    chunk: &ChunkDir,
    ids: &[AttemptId],
    sign: &Sign,
) -> Result<Vec<u8>, StoreError> {
    let root = run.root().path();
    let sign_path = chunk.path().join(SIGN);
    let text = serde_json::to_vec(sign).unwrap_or_default();
    fs::write(&sign_path, text).map_err(file(&sign_path, "write"))?;
    let below = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    let mut names = Vec::new();
    for id in ids {
        names.push(below(&chunk.record_path(*id)));
    }
    for id in ids {
        let dir = run.trial_dir(id.index, id.attempt);
        leave_large_ones(&dir, MOST_OF_A_TRIAL)?;
        files_below(&dir, &mut |path| names.push(below(path)))?;
    }
    names.push(below(&sign_path));
    // What was left out is named already: a trial that still writes may be cut off here.
    Ok(pack(root, &names, u64::MAX - 1)?.bytes)
}

/// Bytes that a trial's folder holds.
pub(crate) fn size_of(run: &RunDir, id: AttemptId) -> u64 {
    let mut size = 0;
    let dir = run.trial_dir(id.index, id.attempt);
    let _ = files_below(&dir, &mut |path| {
        size += path.symlink_metadata().map_or(0, |data| data.len());
    });
    size
}

/// Removes the largest files of a trial until the rest may travel, and leaves their names.
fn leave_large_ones(dir: &Path, most: u64) -> Result<(), StoreError> {
    let mut sizes = Vec::new();
    files_below(dir, &mut |path| {
        let data = path.symlink_metadata().ok().filter(fs::Metadata::is_file);
        sizes.extend(data.map(|data| (data.len(), path.to_owned())));
    })?;
    sizes.sort();
    let mut total: u64 = sizes.iter().map(|(size, _)| size).sum();
    let mut words = String::new();
    while total > most {
        let Some((size, path)) = sizes.pop() else {
            break;
        };
        total -= size;
        let name = path.strip_prefix(dir).unwrap_or(&path);
        let _ = writeln!(words, "{} ({size} bytes)", name.display());
        fs::remove_file(&path).map_err(file(&path, "remove"))?;
    }
    if words.is_empty() {
        return Ok(());
    }
    let path = dir.join(NOT_BROUGHT);
    fs::write(&path, words).map_err(file(&path, "write"))
}

fn files_below(folder: &Path, see: &mut dyn FnMut(&Path)) -> Result<(), StoreError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(file(folder, "read"))?,
    };
    see(folder);
    for entry in entries {
        let entry = entry.map_err(file(folder, "read"))?;
        let kind = entry.file_type().map_err(file(folder, "read"))?;
        if kind.is_dir() {
            files_below(&entry.path(), see)?;
        } else {
            see(&entry.path());
        }
    }
    Ok(())
}

/// Removes what was left of parts whose taking was cut off.
pub(crate) fn remove_unfinished(run: &RunDir) -> Result<(), StoreError> {
    let chunks = run.chunks();
    for entry in fs::read_dir(&chunks).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(ARRIVING) {
            let path = entry.path();
            fs::remove_dir_all(&path).map_err(file(&path, "remove"))?;
        }
    }
    Ok(())
}

/// The sign of life in a part, which is unpacked into an empty folder.
pub(crate) fn sign_of(bytes: &[u8], folder: &Path) -> Result<Option<Sign>, StoreError> {
    unpack(bytes, folder)?;
    let mut found = None;
    files_below(folder, &mut |path| {
        if path.file_name().is_some_and(|name| name == SIGN) && is_of_a_chunk(folder, path) {
            let text = fs::read(path).ok();
            found = text.and_then(|text| serde_json::from_slice(&text).ok());
        }
    })?;
    Ok(found)
}

/// Whether a path in a part is in a chunk's folder, and not one of a trial's files.
fn is_of_a_chunk(folder: &Path, path: &Path) -> bool {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.starts_with("rollouts") && below.components().count() == 6
}

/// A part that has arrived.
pub(crate) struct Arrived {
    /// The records in it, with their trials' folders where they have some.
    records: BTreeMap<u64, (Record, PathBuf)>,
    /// Its sign of life.
    pub(crate) sign: Option<Sign>,
    _folder: tempfile::TempDir,
}

impl Arrived {
    /// Opens a part of a chunk in a folder beside others. What is not asked for in it is not looked at.
    pub(crate) fn open(
        bytes: &[u8],
        run: &RunDir,
        number: u64,
        chunk: &Chunk,
    ) -> Result<Self, StoreError> {
        let beside = run.chunks();
        let folder = tempfile::Builder::new()
            .prefix(ARRIVING)
            .tempdir_in(&beside)
            .map_err(file(&beside, "make a folder in"))?;
        unpack(bytes, folder.path())?;
        let there = RunDir::at(&folder.path().join(run.relative()));
        let mut records = BTreeMap::new();
        let mut sign = None;
        if let Some(there) = there {
            let dir = ChunkDir::of(&there, number);
            let text = fs::read(dir.path().join(SIGN)).ok();
            sign = text.and_then(|text| serde_json::from_slice(&text).ok());
            for id in &chunk.trials {
                if let Ok(Some(record)) = dir.record(*id) {
                    let trial = there.trial_dir(id.index, id.attempt);
                    records.insert(id.index, (record, trial));
                }
            }
        }
        Ok(Self {
            records,
            sign,
            _folder: folder,
        })
    }

    /// Puts its records into a chunk's folder, unless others are there, and says of each whether it is new.
    pub(crate) fn take(&self, dir: &ChunkDir, owner: Option<&Owner>) -> Result<(), JournalError> {
        for (record, _) in self.records.values() {
            let id = AttemptId {
                index: record.trial.index,
                attempt: record.attempt,
            };
            if dir.write_record(record)? == Fresh::Taken
                && dir.record(id)?.as_ref() != Some(record)
                && let Some(owner) = owner
            {
                dir.keep_late(record, owner)?;
            }
        }
        Ok(())
    }

    /// Brings the folders of its trials to where they belong, before their records count. One that is there stays.
    pub(crate) fn bring_folders(&self, run: &RunDir) -> Result<(), JournalError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| JournalError::Io {
                action: "make",
                path,
                source,
            }
        };
        let runs = run.root().runs_dir();
        fs::create_dir_all(&runs).map_err(io(&runs))?;
        for (record, from) in self.records.values() {
            let to = run.trial_dir(record.trial.index, record.attempt);
            if from.is_dir() && !to.exists() {
                fs::rename(from, &to).map_err(io(&to))?;
            }
        }
        Ok(())
    }
}

fn file(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| StoreError::File {
        path,
        action,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::{NOT_BROUGHT, leave_large_ones};
    use std::fs;

    #[test]
    fn the_largest_files_stay_behind_and_are_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        fs::write(dir.path().join("out/large"), [b'x'; 500]).unwrap();
        fs::write(dir.path().join("small"), [b'x'; 50]).unwrap();
        leave_large_ones(dir.path(), 600).unwrap();
        assert!(!dir.path().join(NOT_BROUGHT).exists());
        leave_large_ones(dir.path(), 100).unwrap();
        let named = fs::read_to_string(dir.path().join(NOT_BROUGHT)).unwrap();
        assert_eq!(named, "out/large (500 bytes)\n");
        assert!(dir.path().join("small").exists());
    }
}
