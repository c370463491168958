//! Taking journals into the index.

use super::database::Database;
use super::failure::Failure;
use super::query;
use super::row::{self, COLUMNS, FileState};
use crate::error::JournalError;
use crate::run_dir::RunDir;
use crate::state::RunState;
use rusqlite::{Connection, TransactionBehavior, params_from_iter};
use std::collections::{HashMap, HashSet};

/// What the index holds after it caught up.
#[derive(Debug, Default)]
pub(super) struct CaughtUp {
    /// How many runs.
    pub(super) runs: usize,
    /// Runs whose journals cannot be read, as those of a later version, and why.
    pub(super) unreadable: Vec<(RunDir, JournalError)>,
}

/// Brings every run up to date. A journal that cannot be read is no reason not to show the others.
pub(super) fn catch_up(database: &mut Database, runs: &[RunDir]) -> Result<CaughtUp, Failure> {
    let known = known_runs(&database.connection)?;
    let (mut there, mut changed) = (HashSet::new(), Vec::new());
    let mut unreadable = Vec::new();
    for run in runs {
        // Before reading: what is written meanwhile is seen as a change by the next one.
        match FileState::of(run) {
            Ok(None) => {}
            Ok(Some(seen)) => {
                if known.get(&key(run)) != Some(&seen) {
                    changed.push((run, seen));
                }
                there.insert(key(run));
            }
            Err(error) => unreadable.push((run.clone(), error)),
        }
    }
    for some in changed.chunks(TOGETHER) {
        let mut folded = Vec::new();
        for (run, seen) in some {
            match run.readable().and_then(|()| RunState::read(&run.journal())) {
                Ok(state) => folded.push((*run, *seen, state)),
                Err(error) => {
                    there.remove(&key(run));
                    unreadable.push(((*run).clone(), error));
                }
            }
        }
        store_all(&mut database.connection, &folded)?;
    }
    forget_lost(&mut database.connection, &known, &there)?;
    Ok(CaughtUp {
        runs: there.len(),
        unreadable,
    })
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

type Key = (String, String);

fn key(run: &RunDir) -> Key {
    (run.name().to_owned(), run.stamp().to_string())
}

fn known_runs(connection: &Connection) -> Result<HashMap<Key, FileState>, Failure> {
    let rows = query::rows(connection)?.into_iter();
    let known = rows.map(|(row, seen)| ((row.name, row.stamp.to_string()), seen));
    Ok(known.collect())
}

fn forget_lost(
    connection: &mut Connection,
    known: &HashMap<Key, FileState>,
    there: &HashSet<Key>,
) -> Result<(), Failure> {
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
    let put = format!(
        "INSERT OR REPLACE INTO runs({COLUMNS}, sum)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)"
    );
    let mut put = connection.prepare_cached(&put)?;
    put.execute(params_from_iter(row::values(run, seen, state)))?;
    Ok(())
}
