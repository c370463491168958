//! What passes between the controller and a node: a folder per chunk, with the work in it, a heartbeat and the records.
//!
//! Each file has one writer at a time and is replaced whole. A record's name holds trial and attempt, and the first
//! file of a name stays: whoever comes second (a restarted job, a controller that gave up waiting) sees that and yields.

use crate::attempt_id::AttemptId;
use fairtrial_journal::{
    Durability, Fresh, JournalError, RunDir, is_there, read_if_there, record_from_line,
    record_line, write_atomic_bytes, write_once,
};
use fairtrial_model::Record;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

/// Version of the chunk's form: a binary of another form refuses it.
pub(crate) const CHUNK_SCHEMA: u32 = 1;

/// The work of one job, or of one element of a job array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Chunk {
    pub(crate) schema: u32,
    pub(crate) number: u64,
    /// The plan that the numbers mean.
    pub(crate) plan_hash: String,
    /// The filter that the plan was made with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) only: Option<String>,
    /// The binary that gave it out.
    pub(crate) version: String,
    /// Seconds between two heartbeats.
    pub(crate) beat_s: f64,
    /// Whether small files of trials that ended well are put away in the chunk's folder, which others see too.
    #[serde(default)]
    pub(crate) put_away: bool,
    /// In the order in which they run.
    pub(crate) trials: Vec<AttemptId>,
    /// Seconds of their time limit that earlier parts of trials took, by the trial.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) spent: BTreeMap<u64, f64>,
}

/// Who runs a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The machine.
    pub host: String,
    /// The process.
    pub pid: u32,
    /// The scheduler's name for the job and how often it restarted it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
}

/// Whether a chunk's runner goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    Running,
    /// It left in good order; trials without a record were not begun.
    Ended,
}

/// A sign of life. Only its change matters: clocks of two machines are not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beat {
    pub(crate) count: u64,
    pub(crate) phase: Phase,
    pub(crate) owner: Owner,
    /// What runs now.
    pub(crate) running: Option<AttemptId>,
    /// Records written by this owner.
    pub(crate) done: u64,
}

/// How the lines that prepare a node get on, as the job's script writes it: `running COUNT` again and again, or
/// `failed STATUS LINE HOST`. It goes when the runner begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Setup {
    /// They run; the text changes while they do.
    Running(String),
    /// One of them failed.
    Failed {
        status: String,
        /// Its number, from 1; 0 where the shell does not say.
        line: usize,
        host: String,
    },
}

impl Setup {
    fn of(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let (word, first) = (words.next()?, words.next()?.to_owned());
        match word {
            "running" => Some(Self::Running(first)),
            "failed" => Some(Self::Failed {
                status: first,
                line: words.next()?.parse().unwrap_or(0),
                host: words.next().unwrap_or_default().to_owned(),
            }),
            _ => None,
        }
    }
}

/// Why a chunk is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Revoked {
    /// The user stopped the run: what runs is ended.
    Cancelled,
    /// Its trials are not wanted any more, or it gave no sign of life: what runs may finish, nothing starts.
    Withdrawn,
    /// Its end is known: what has no record was not begun, and is given out anew.
    Closed,
}

impl Revoked {
    /// One that cannot be read was still meant.
    pub(crate) fn read(text: &[u8]) -> Self {
        serde_json::from_slice(text).unwrap_or(Self::Withdrawn)
    }
}

/// How the files begin in which runners put small files of trials.
const FILES: &str = "files-";

/// The file that a job's script keeps while it prepares its node.
pub(crate) const SETUP: &str = "setup";

/// A chunk's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkDir {
    path: PathBuf,
}

impl ChunkDir {
    pub(crate) fn of(run: &RunDir, number: u64) -> Self {
        Self {
            path: run.chunks().join(number.to_string()),
        }
    }

    /// The chunk whose folder this is.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder with its work, durably.
    pub(crate) fn create(&self, chunk: &Chunk) -> Result<(), JournalError> {
        fs::create_dir_all(&self.path).map_err(|source| self.io("create", source))?;
        let text = serde_json::to_vec(chunk).map_err(|error| self.content(&error.to_string()))?;
        write_atomic_bytes(&self.path.join("chunk.json"), Durability::Full, &text)
    }

    pub(crate) fn read(&self) -> Result<Chunk, JournalError> {
        let path = self.path.join("chunk.json");
        let text = fs::read(path).map_err(|source| self.io("read chunk.json of", source))?;
        serde_json::from_slice(&text).map_err(|error| self.content(&error.to_string()))
    }

    /// Whether its folder is there. A runner without one can neither begin nor leave anything.
    pub(crate) fn is_there(&self) -> Result<bool, JournalError> {
        is_there(&self.path)
    }

    /// The last sign of life; absent where there is none, or it is being replaced.
    pub(crate) fn beat(&self) -> Option<Beat> {
        let text = fs::read(self.path.join("beat.json")).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// How its node's preparation gets on; absent where there is none, or it is over.
    pub(crate) fn setup(&self) -> Option<Setup> {
        let text = fs::read_to_string(self.path.join(SETUP)).ok()?;
        Setup::of(&text)
    }

    pub(crate) fn write_beat(&self, beat: &Beat) -> Result<(), JournalError> {
        let text = serde_json::to_vec(beat).map_err(|error| self.content(&error.to_string()))?;
        write_atomic_bytes(&self.path.join("beat.json"), Durability::Process, &text)
    }

    /// Puts a record where the controller finds it, unless there is one already.
    pub(crate) fn write_record(&self, record: &Record) -> Result<Fresh, JournalError> {
        let id = AttemptId {
            index: record.trial.index,
            attempt: record.attempt,
        };
        let line = record_line(record).map_err(|error| self.content(&error.to_string()))?;
        write_once(&self.record_path(id), &line)
    }

    /// Keeps a record that came after another of the same name.
    pub(crate) fn keep_late(&self, record: &Record, owner: &Owner) -> Result<(), JournalError> {
        let (index, attempt) = (record.trial.index, record.attempt);
        let name = format!("late-{index}-{attempt}-{}-{}.json", owner.host, owner.pid);
        let line = record_line(record).map_err(|error| self.content(&error.to_string()))?;
        write_once(&self.path.join(name), &line).map(drop)
    }

    pub(crate) fn has_record(&self, id: AttemptId) -> Result<bool, JournalError> {
        is_there(&self.record_path(id))
    }

    /// The record of an attempt: absent where there is none, or where the file is not one.
    pub(crate) fn record(&self, id: AttemptId) -> Result<Option<Record>, JournalError> {
        let line = read_if_there(&self.record_path(id))?;
        let record = line.and_then(|line| record_from_line(&line).ok());
        let named =
            |record: &Record| record.trial.index == id.index && record.attempt == id.attempt;
        Ok(record.filter(named))
    }

    /// The attempts that have a record here.
    pub(crate) fn recorded(&self) -> io::Result<Vec<AttemptId>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            found.extend(name.to_str().and_then(id_of));
        }
        Ok(found)
    }

    /// Closes a chunk of which the journal has every record: files of records that are in the folders of their trials as
    /// well have no more use.
    pub(crate) fn clear(&self, run: &RunDir) -> Result<(), JournalError> {
        self.revoke(Revoked::Closed)?;
        for id in self.recorded().unwrap_or_default() {
            let copy = run.trial_dir(id.index, id.attempt).join("record.json");
            if is_there(&copy)? {
                let removed = fs::remove_file(self.record_path(id));
                removed.map_err(|source| self.io("remove a record of", source))?;
            }
        }
        Ok(())
    }

    /// Where a runner puts small files of its trials.
    pub(crate) fn files(&self, runner: &str) -> PathBuf {
        self.path.join(format!("{FILES}{runner}.jsonl"))
    }

    /// Whether a file of a chunk is one of those.
    pub(crate) fn is_files(path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(FILES))
    }

    /// When something last came into the folder.
    pub(crate) fn changed_at(&self) -> Option<SystemTime> {
        self.path.metadata().and_then(|data| data.modified()).ok()
    }

    /// Takes the chunk back. Whoever runs it looks before each trial.
    pub(crate) fn revoke(&self, why: Revoked) -> Result<(), JournalError> {
        let text = serde_json::to_vec(&why).map_err(|error| self.content(&error.to_string()))?;
        write_atomic_bytes(&self.path.join("revoked"), Durability::Full, &text)
    }

    pub(crate) fn revoked(&self) -> Option<Revoked> {
        let text = fs::read(self.path.join("revoked")).ok()?;
        Some(Revoked::read(&text))
    }

    pub(crate) fn record_path(&self, id: AttemptId) -> PathBuf {
        self.path.join(format!("{}-{}.json", id.index, id.attempt))
    }

    fn io(&self, action: &'static str, source: io::Error) -> JournalError {
        JournalError::Io {
            action,
            path: self.path.clone(),
            source,
        }
    }

    fn content(&self, message: &str) -> JournalError {
        JournalError::Content {
            path: self.path.clone(),
            message: message.to_owned(),
        }
    }
}

/// Trial and attempt of a record's file name.
fn id_of(name: &str) -> Option<AttemptId> {
    let (index, attempt) = name.strip_suffix(".json")?.split_once('-')?;
    Some(AttemptId {
        index: index.parse().ok()?,
        attempt: attempt.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::{AttemptId, BTreeMap, CHUNK_SCHEMA, Chunk, id_of};

    #[test]
    fn the_keys_on_the_page_are_those_of_the_file() {
        let chunk = Chunk {
            schema: CHUNK_SCHEMA,
            number: 0,
            plan_hash: String::new(),
            only: Some("1-3".to_owned()),
            version: String::new(),
            beat_s: 1.0,
            put_away: false,
            trials: vec![AttemptId {
                index: 0,
                attempt: 1,
            }],
            spent: BTreeMap::from([(0, 1.0)]),
        };
        let file = serde_json::to_value(chunk).unwrap();
        let keys = file.as_object().unwrap().keys();
        let keys = keys.chain(file["trials"][0].as_object().unwrap().keys());
        let page = include_str!("../../../docs/reference/files.md");
        let row = page.lines().find(|line| line.contains("/chunk.json`"));
        let cell = row.and_then(|row| row.split('|').nth(3)).unwrap();
        let mut named: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        let mut keys: Vec<&str> = keys.map(String::as_str).collect();
        named.sort_unstable();
        keys.sort_unstable();
        assert_eq!(named, keys);
    }

    #[test]
    fn only_records_are_named_by_two_numbers() {
        let id = |index, attempt| Some(AttemptId { index, attempt });
        assert_eq!(id_of("12-3.json"), id(12, 3));
        for other in [
            "chunk.json",
            "beat.json",
            "late-1-1-n1-7.json",
            ".1-1.json.n1.2.0.tmp",
            "1-1",
        ] {
            assert_eq!(id_of(other), None, "{other}");
        }
    }
}
