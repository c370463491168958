//! What the index answers.

use crate::error::JournalError;
use crate::event::{OutcomeCounts, RunStatus};
use crate::find_run::Selector;
use crate::lock::is_live;
use crate::root::DataRoot;
use crate::run_dir::RunDir;
use fairtrial_model::{Stamp, UtcTime};
use rusqlite::{Connection, Row};

/// One run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RunRow {
    /// The benchmark's name.
    pub name: String,
    /// The run's stamp.
    pub stamp: Stamp,
    /// The spec's path as the user gave it.
    pub config: String,
    /// How it was closed; absent where it lives or its controller died.
    pub status: Option<RunStatus>,
    /// Whether a controller works on it now.
    pub live: bool,
    /// How many trials it has.
    pub trials: u64,
    /// Effective outcomes so far.
    pub counts: OutcomeCounts,
    /// When it was made.
    pub created_at: Option<UtcTime>,
    /// When it was closed.
    pub ended_at: Option<UtcTime>,
    /// Damaged lines in its journal.
    pub corrupt: u64,
    /// Attempts whose time is known.
    pub timed: u64,
    /// Their mean wall seconds.
    pub mean_wall_s: Option<f64>,
}

impl RunRow {
    /// A run that was closed has no controller; of the others the lock tells.
    pub(super) fn with_liveness(mut self, root: &DataRoot) -> Result<Self, JournalError> {
        if self.status.is_none() {
            let run = RunDir::open(root, &self.name, Selector::Stamp(self.stamp));
            self.live = match run {
                Ok(run) => is_live(&run)?.is_live(),
                // Removed since the index caught up.
                Err(_) => false,
            };
        }
        Ok(self)
    }
}

/// The seven counts from `first` on.
fn counts(row: &Row<'_>, first: usize) -> rusqlite::Result<OutcomeCounts> {
    let get = |place: usize| row.get::<_, i64>(first + place).map(|count| count as u64);
    Ok(OutcomeCounts {
        ok: get(0)?,
        failed: get(1)?,
        timeout: get(2)?,
        oom: get(3)?,
        infra: get(4)?,
        cancelled: get(5)?,
        skipped: get(6)?,
    })
}

/// Every run, oldest first, as if none were live.
pub(super) fn runs(connection: &Connection) -> rusqlite::Result<Vec<RunRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT name, stamp, config, status, trials, created_at, ended_at, corrupt, timed, wall_s,
           ok, failed, timeout, oom, infra, cancelled, skipped
         FROM runs ORDER BY stamp, name",
    )?;
    let time = |micros: Option<i64>| micros.map(UtcTime::from_micros);
    let rows = statement.query_map([], |row| {
        let stamp: String = row.get(1)?;
        let status: Option<String> = row.get(3)?;
        Ok(RunRow {
            name: row.get(0)?,
            stamp: stamp.parse().map_err(|error| unreadable(1, error))?,
            config: row.get(2)?,
            status: status.and_then(|word| RunStatus::from_word(&word)),
            live: false,
            trials: row.get::<_, i64>(4)? as u64,
            created_at: time(row.get(5)?),
            ended_at: time(row.get(6)?),
            corrupt: row.get::<_, i64>(7)? as u64,
            timed: row.get::<_, i64>(8)? as u64,
            mean_wall_s: row.get(9)?,
            counts: counts(row, 10)?,
        })
    })?;
    rows.collect()
}

/// A value that this version did not write.
fn unreadable(
    column: usize,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into())
}
