//! Taking new journal lines into the index.

use super::database::Database;
use super::trials::{Placed, Trials};
use crate::error::{At, JournalError};
use crate::event::{Event, OutcomeCounts};
use crate::reader::{JournalReader, Position, ReadError};
use crate::run_dir::RunDir;
use fairtrial_model::Outcome;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

/// Bytes before the place read up to that must still be there: the checksum of the last line.
const TAIL: u64 = 18;

/// What went wrong.
#[derive(Debug)]
pub(super) enum Failure {
    Sqlite(rusqlite::Error),
    Journal(JournalError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

/// Brings every run up to date.
pub(super) fn catch_up(database: &mut Database, runs: &[RunDir]) -> Result<(), Failure> {
    let known = known_runs(&database.connection)?;
    for run in runs {
        let Some(seen) = FileState::of(run)? else {
            continue;
        };
        let key = (run.name().to_owned(), run.stamp().to_string());
        if known.get(&key) != Some(&seen) {
            let done = catch_up_run(database, run, seen);
            if done.is_err() {
                // Words of a transaction that was undone have no number.
                database.words.clear();
            }
            done?;
        }
    }
    forget_lost(&mut database.connection, &known, runs)
}

/// A journal file as `stat` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileState {
    size: i64,
    modified: i64,
}

impl FileState {
    fn of(run: &RunDir) -> Result<Option<Self>, JournalError> {
        let path = run.journal();
        match path.metadata() {
            Ok(data) => Ok(Some(Self {
                size: data.len() as i64,
                modified: data
                    .mtime()
                    .wrapping_mul(1_000_000_000)
                    .wrapping_add(data.mtime_nsec()),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).at("read", &path),
        }
    }
}

type Key = (String, String);

fn known_runs(connection: &Connection) -> rusqlite::Result<HashMap<Key, FileState>> {
    let mut statement =
        connection.prepare_cached("SELECT name, stamp, size, modified FROM runs")?;
    let rows = statement.query_map([], |row| {
        let state = FileState {
            size: row.get(2)?,
            modified: row.get(3)?,
        };
        Ok(((row.get(0)?, row.get(1)?), state))
    })?;
    rows.collect()
}

fn forget_lost(
    connection: &mut Connection,
    known: &HashMap<Key, FileState>,
    runs: &[RunDir],
) -> Result<(), Failure> {
    let there: HashSet<Key> = runs
        .iter()
        .filter(|run| run.journal().exists())
        .map(|run| (run.name().to_owned(), run.stamp().to_string()))
        .collect();
    let lost: Vec<&Key> = known.keys().filter(|key| !there.contains(*key)).collect();
    if lost.is_empty() {
        return Ok(());
    }
    let work = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (name, stamp) in lost {
        let find = "SELECT id FROM runs WHERE name = ?1 AND stamp = ?2";
        let id: Option<i64> = work
            .query_row(find, [name, stamp], |row| row.get(0))
            .optional()?;
        if let Some(id) = id {
            clear(&work, id)?;
            work.execute("DELETE FROM runs WHERE id = ?1", [id])?;
        }
    }
    Ok(work.commit()?)
}

fn clear(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM trials WHERE run = ?1", [run])?;
    connection.execute("DELETE FROM metrics WHERE run = ?1", [run])?;
    Ok(())
}

fn catch_up_run(database: &mut Database, run: &RunDir, seen: FileState) -> Result<(), Failure> {
    let connection = &mut database.connection;
    let work = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut row = Row::load(&work, run)?;
    if !row.still_fits(run)? {
        clear(&work, row.id)?;
        row = Row::empty(row.id);
    }
    let mut reader = JournalReader::open(&run.journal(), row.position)?;
    {
        let mut trials = Trials::prepare(&work, row.id, &mut database.words)?;
        while let Some(entry) = reader.but_starts() {
            match entry {
                Ok(entry) => row.take(entry.event, &mut trials)?,
                Err(ReadError::Corrupt(_)) => row.corrupt += 1,
                Err(ReadError::Io(error)) => return Err(error.into()),
            }
        }
    }
    row.position = reader.position();
    row.tail = tail(run, row.position.offset)?;
    row.store(&work, seen)?;
    Ok(work.commit()?)
}

/// The bytes just before a place in the journal.
fn tail(run: &RunDir, end: u64) -> Result<Vec<u8>, JournalError> {
    let path = run.journal();
    let start = end.saturating_sub(TAIL);
    let mut bytes = vec![0; (end - start) as usize];
    let file = File::open(&path).at("open", &path)?;
    match file.read_exact_at(&mut bytes, start) {
        // Shorter than it was: nothing there.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Vec::new()),
        other => other.at("read", &path).map(|()| bytes),
    }
}

/// What the index holds about a run besides its trials.
#[derive(Default)]
struct Row {
    id: i64,
    config: String,
    trials: u64,
    created_at: Option<i64>,
    ended_at: Option<i64>,
    status: Option<String>,
    corrupt: u64,
    counts: OutcomeCounts,
    position: Position,
    tail: Vec<u8>,
}

impl Row {
    fn empty(id: i64) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }

    fn load(connection: &Connection, run: &RunDir) -> rusqlite::Result<Self> {
        let key = params![run.name(), run.stamp().to_string()];
        connection.execute(
            "INSERT OR IGNORE INTO runs(name, stamp) VALUES(?1, ?2)",
            key,
        )?;
        let mut find = connection.prepare_cached(
            "SELECT id, config, trials, created_at, ended_at, status, corrupt, offset, lines, tail,
               ok, failed, timeout, oom, infra, cancelled, skipped
             FROM runs WHERE name = ?1 AND stamp = ?2",
        )?;
        find.query_row(key, |row| {
            Ok(Self {
                id: row.get(0)?,
                config: row.get(1)?,
                trials: row.get::<_, i64>(2)? as u64,
                created_at: row.get(3)?,
                ended_at: row.get(4)?,
                status: row.get(5)?,
                corrupt: row.get::<_, i64>(6)? as u64,
                position: Position {
                    offset: row.get::<_, i64>(7)? as u64,
                    lines: row.get::<_, i64>(8)? as u64,
                },
                tail: row.get(9)?,
                counts: super::query::counts(row, 10)?,
            })
        })
    }

    /// Whether the journal still holds what was read of it.
    fn still_fits(&self, run: &RunDir) -> Result<bool, JournalError> {
        Ok(tail(run, self.position.offset)? == self.tail)
    }

    fn take(&mut self, event: Event, trials: &mut Trials<'_>) -> rusqlite::Result<()> {
        match event {
            Event::Opened(opened) => {
                self.config = opened.config;
                self.trials = opened.trials;
                self.created_at = Some(opened.created_at.0.as_microsecond());
            }
            Event::Session { .. } => (self.status, self.ended_at) = (None, None),
            Event::Closed { at, status, .. } => {
                self.status = Some(status.word().to_owned());
                self.ended_at = Some(at.0.as_microsecond());
            }
            Event::Finished(record) => {
                let placed = trials.put(&record)?;
                if let Placed::Instead(before) = placed {
                    self.counts.remove(before);
                }
                if placed != Placed::Unused {
                    self.counts.add(record.outcome);
                }
            }
            Event::Started { .. }
            | Event::Note { .. }
            | Event::Files { .. }
            | Event::Submitting { .. }
            | Event::Submitted { .. }
            | Event::Unknown => {}
        }
        Ok(())
    }

    fn store(&self, connection: &Connection, seen: FileState) -> rusqlite::Result<()> {
        let mut update = connection.prepare_cached(
            "UPDATE runs SET config = ?2, trials = ?3, created_at = ?4, ended_at = ?5, status = ?6, corrupt = ?7,
               offset = ?8, lines = ?9, tail = ?10, size = ?11, modified = ?12, ok = ?13, failed = ?14,
               timeout = ?15, oom = ?16, infra = ?17, cancelled = ?18, skipped = ?19
             WHERE id = ?1",
        )?;
        let count = |outcome| self.counts.get(outcome) as i64;
        update.execute(params![
            self.id,
            self.config,
            self.trials as i64,
            self.created_at,
            self.ended_at,
            self.status,
            self.corrupt as i64,
            self.position.offset as i64,
            self.position.lines as i64,
            self.tail,
            seen.size,
            seen.modified,
            count(Outcome::Ok),
            count(Outcome::Failed),
            count(Outcome::Timeout),
            count(Outcome::Oom),
            count(Outcome::Infra),
            count(Outcome::Cancelled),
            count(Outcome::Skipped),
        ])?;
        Ok(())
    }
}
