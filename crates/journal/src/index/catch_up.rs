//! Taking journals into the index.

use super::database::Database;
use crate::error::{At, JournalError};
use crate::run_dir::RunDir;
use crate::state::RunState;
use fairtrial_model::{Outcome, UtcTime};
use rusqlite::{Connection, TransactionBehavior, params};
use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::fs::MetadataExt;

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
    let mut changed = Vec::new();
    for run in runs {
        // Before reading: what is written meanwhile is seen as a change by the next one.
        if let Some(seen) = FileState::of(run)?
            && known.get(&key(run)) != Some(&seen)
        {
            changed.push((run, seen));
        }
    }
    for some in changed.chunks(TOGETHER) {
        let folded = some
            .iter()
            .map(|(run, seen)| Ok((*run, *seen, RunState::read(&run.journal())?)))
            .collect::<Result<Vec<_>, JournalError>>()?;
        store_all(&mut database.connection, &folded)?;
    }
    forget_lost(&mut database.connection, &known, runs)
}

/// Runs that are taken in by one transaction, and held in memory for that.
const TOGETHER: usize = 64;

/// Takes in one run that is folded already.
pub(super) fn take(database: &mut Database, run: &RunDir, state: &RunState) -> Result<(), Failure> {
    let Some(seen) = FileState::of(run)? else {
        return Ok(());
    };
    // Somebody who wrote since is seen as a change by the next one.
    let seen = FileState {
        size: state.summary.end as i64,
        ..seen
    };
    let work = database
        .connection
        .transaction_with_behavior(TransactionBehavior::Immediate)?;
    store(&work, run, seen, state)?;
    Ok(work.commit()?)
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

fn key(run: &RunDir) -> Key {
    (run.name().to_owned(), run.stamp().to_string())
}

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
        .map(key)
        .collect();
    let lost: Vec<&Key> = known.keys().filter(|key| !there.contains(*key)).collect();
    if lost.is_empty() {
        return Ok(());
    }
    let work = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (name, stamp) in lost {
        work.execute(
            "DELETE FROM runs WHERE name = ?1 AND stamp = ?2",
            [name, stamp],
        )?;
    }
    Ok(work.commit()?)
}

fn store_all(
    connection: &mut Connection,
    folded: &[(&RunDir, FileState, RunState)],
) -> rusqlite::Result<()> {
    let work = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (run, seen, state) in folded {
        store(&work, run, *seen, state)?;
    }
    work.commit()
}

fn store(
    connection: &Connection,
    run: &RunDir,
    seen: FileState,
    state: &RunState,
) -> rusqlite::Result<()> {
    let mut put = connection.prepare_cached(
        "INSERT OR REPLACE INTO runs(name, stamp, config, trials, created_at, ended_at, status, corrupt, timed, wall_s,
           size, modified, ok, failed, timeout, oom, infra, cancelled, skipped)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
    )?;
    let (name, stamp) = key(run);
    let opened = state.opened.as_ref();
    let micros = |time: UtcTime| time.0.as_microsecond();
    let closed = state.closed();
    let count = |outcome| state.counts.get(outcome) as i64;
    put.execute(params![
        name,
        stamp,
        opened.map_or("", |opened| opened.config.as_str()),
        opened.map_or(0, |opened| opened.trials as i64),
        opened.map(|opened| micros(opened.created_at)),
        closed.map(|(at, _)| micros(at)),
        closed.map(|(_, status)| status.word()),
        state.summary.corrupt as i64,
        state.times.count as i64,
        state.times.mean(),
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
