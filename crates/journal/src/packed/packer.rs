//! Puts files of trials into the run's `packed.jsonl`, for the one controller that has the run.

use super::script::SharedScript;
use super::small::{FolderFiles, LOG_NAMES, PutAwayFiles, SCRIPT_NAME};
use crate::failpoint;
use crate::run_dir::RunDir;
use fairtrial_model::{Packed, PackedLine, Sha256, TrialKey, hex};
use serde::Serialize;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Scripts that are remembered. A sweep has one per point, and may have millions; the script of one that is not remembered
/// is written again.
const MOST_SCRIPTS: usize = 1024;

/// The one writer of a run's `packed.jsonl`.
#[derive(Debug)]
pub struct Packer {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    file: Option<File>,
    /// Where the next line belongs.
    end: u64,
    /// Whether something was written since the last flush.
    dirty: bool,
    scripts: HashMap<SharedScript, KnownScript>,
}

/// A script that was written.
#[derive(Debug, Clone)]
struct KnownScript {
    place: PackedLine,
    text: Vec<u8>,
    sha256: String,
}

impl Packer {
    /// Of a run that this process controls. The file is made when there is something to put into it.
    pub fn new(run: &RunDir) -> Self {
        Self {
            path: run.packed(),
            state: Mutex::default(),
        }
    }

    /// Puts the files of a trial there; absent where its script could not be made again.
    pub fn pack(
        &self,
        name: &str,
        key: &TrialKey,
        files: FolderFiles,
    ) -> io::Result<Option<Packed>> {
        let mut files = files;
        let script = files.remove(SCRIPT_NAME);
        // A log that is not there is empty.
        files.retain(|name, text| !(text.is_empty() && LOG_NAMES.contains(&name.as_str())));
        let shared = match &script {
            None => None,
            Some(script) => match SharedScript::of(script, name, key.own_seed()) {
                None => return Ok(None),
                shared => shared,
            },
        };
        let files = (!files.is_empty()).then(|| PutAwayFiles {
            dir: name.to_owned(),
            files,
        });
        let files = files.map(|files| line(&files)).transpose()?;
        let mut state = self.lock();
        let script = shared.map(|shared| state.script(&self.path, shared));
        let script = script.transpose()?;
        let place = script.as_ref().map(|known| known.place);
        let (files, sha256) = match (files, script) {
            (None, script) => (None, script.map_or_else(|| hash(&[]), |known| known.sha256)),
            (Some(text), script) => {
                let before = script.map_or_else(Vec::new, |known| known.text);
                let sha256 = hash(&[&before[..], &text].concat());
                (Some(state.append(&self.path, &text)?), sha256)
            }
        };
        Ok(Some(Packed {
            script: place,
            files,
            sha256,
        }))
    }

    /// Makes what was put there outlive a crash of the machine.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let mut state = self.lock();
        if !state.dirty {
            return Ok(());
        }
        // Others go on while the disk writes: what they add is flushed before their records are.
        let file = state.file.as_ref().map(File::try_clone).transpose()?;
        state.dirty = false;
        drop(state);
        let synced = file.map_or(Ok(()), |file| file.sync_data());
        if synced.is_err() {
            self.lock().dirty = true;
        }
        synced
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic cut off is behind `end`, and is written over.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The line of a script; written where it is new.
    fn script(&mut self, path: &Path, shared: SharedScript) -> io::Result<KnownScript> {
        if let Some(known) = self.scripts.get(&shared) {
            return Ok(known.clone());
        }
        let text = line(&shared)?;
        let known = KnownScript {
            place: self.append(path, &text)?,
            sha256: hash(&text),
            text,
        };
        if self.scripts.len() < MOST_SCRIPTS {
            self.scripts.insert(shared, known.clone());
        }
        Ok(known)
    }

    /// Writes a line. What a write that failed left is written over by the next one.
    fn append(&mut self, path: &Path, text: &[u8]) -> io::Result<PackedLine> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let (file, end) = open(path)?;
                self.end = end;
                none.insert(file)
            }
        };
        if failpoint::is_due("packed.mid_write") {
            file.write_all_at(&text[..text.len() / 2], self.end)?;
            failpoint::die();
        }
        file.write_all_at(text, self.end)?;
        let place = (self.end, text.len() as u64);
        self.end += place.1;
        self.dirty = true;
        Ok(place)
    }
}

/// Opens the file, and says where the next line begins: behind a newline, also where a killed controller left a part of one.
fn open(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false);
    let file = file.open(path)?;
    let end = file.metadata()?.len();
    let mut last = [b'\n'];
    if end > 0 {
        file.read_exact_at(&mut last, end - 1)?;
    }
    if last == [b'\n'] {
        return Ok((file, end));
    }
    file.write_all_at(b"\n", end)?;
    Ok((file, end + 1))
}

fn line(of: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(of).map_err(io::Error::other)?;
    text.push(b'\n');
    Ok(text)
}

/// The hash by which a record knows its lines.
pub(super) fn hash(lines: &[u8]) -> String {
    hex(&Sha256::digest(lines)[..16])
}
