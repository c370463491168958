//! What the index answers.

use crate::error::JournalError;
use crate::event::{OutcomeCounts, RunStatus};
use crate::lock::is_live;
use crate::root::DataRoot;
use crate::run_dir::{RunDir, Selector};
use fairtrial_model::{Outcome, Params, Stamp, UtcTime};
use rusqlite::{Connection, OptionalExtension, Row, Statement};
use std::collections::HashMap;
use std::rc::Rc;

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
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

/// One effective result, for summaries.
#[derive(Debug)]
pub struct SummaryRow<'a> {
    /// The trial.
    pub index: u64,
    /// Its task.
    pub task: &'a str,
    /// Its arm.
    pub arm: Option<&'a str>,
    /// Its sweep point.
    pub point: &'a Params,
    /// Its seed.
    pub seed: u64,
    /// Its repetition.
    pub rollout: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Wall seconds.
    pub wall_s: Option<f64>,
    /// Its metrics, in the order in which the index first saw their names.
    pub metrics: &'a [(Rc<str>, f64)],
}

/// The seven counts from `first` on.
pub(super) fn counts(row: &Row<'_>, first: usize) -> rusqlite::Result<OutcomeCounts> {
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
        "SELECT name, stamp, config, status, trials, created_at, ended_at, corrupt,
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
            counts: counts(row, 8)?,
        })
    })?;
    rows.collect()
}

/// Walks trials and their metrics side by side, both in index order.
pub(super) fn summary_rows(
    connection: &Connection,
    (name, stamp): (&str, Stamp),
    mut each: impl FnMut(SummaryRow<'_>),
) -> rusqlite::Result<bool> {
    let find = "SELECT id FROM runs WHERE name = ?1 AND stamp = ?2";
    let key = (name, stamp.to_string());
    let Some(run) = connection
        .query_row(find, key, |row| row.get::<_, i64>(0))
        .optional()?
    else {
        return Ok(false);
    };
    let mut trials = connection.prepare_cached(
        "SELECT idx, task, arm, point, seed, rollout, outcome, wall FROM trials WHERE run = ?1 ORDER BY idx",
    )?;
    let mut metrics = connection.prepare_cached(
        "SELECT idx, metric, value FROM metrics WHERE run = ?1 ORDER BY idx, metric",
    )?;
    let mut words = Words::prepare(connection)?;
    let mut trials = trials.query([run])?;
    let mut metrics = MetricWalk::begin(&mut metrics, run)?;
    let nowhere = Rc::new(Params::new());
    while let Some(row) = trials.next()? {
        let index: i64 = row.get(0)?;
        let task = words.word(row.get(1)?)?;
        let arm = row
            .get::<_, Option<i64>>(2)?
            .map(|arm| words.word(arm))
            .transpose()?;
        let point = row
            .get::<_, Option<i64>>(3)?
            .map(|point| words.point(point))
            .transpose()?;
        let outcome = row.get_ref(6)?.as_str()?;
        let unknown = || unreadable(6, format!("unknown outcome `{outcome}`"));
        each(SummaryRow {
            index: index as u64,
            task: &task,
            arm: arm.as_deref(),
            point: point.as_ref().unwrap_or(&nowhere),
            seed: row.get::<_, i64>(4)? as u64,
            rollout: row.get(5)?,
            outcome: Outcome::from_word(outcome).ok_or_else(unknown)?,
            wall_s: row.get(7)?,
            metrics: metrics.of(index, &mut words)?,
        });
    }
    Ok(true)
}

/// The metrics of a run in index order, given out per trial.
struct MetricWalk<'a> {
    rows: rusqlite::Rows<'a>,
    next: Option<(i64, i64, f64)>,
    of_trial: Vec<(Rc<str>, f64)>,
}

impl<'a> MetricWalk<'a> {
    fn begin(statement: &'a mut Statement<'_>, run: i64) -> rusqlite::Result<Self> {
        let mut walk = Self {
            rows: statement.query([run])?,
            next: None,
            of_trial: Vec::new(),
        };
        walk.step()?;
        Ok(walk)
    }

    fn step(&mut self) -> rusqlite::Result<()> {
        self.next = match self.rows.next()? {
            // SQLite has no NaN and keeps NULL in its place.
            Some(row) => {
                let value: Option<f64> = row.get(2)?;
                Some((row.get(0)?, row.get(1)?, value.unwrap_or(f64::NAN)))
            }
            None => None,
        };
        Ok(())
    }

    fn of(&mut self, index: i64, words: &mut Words<'_>) -> rusqlite::Result<&[(Rc<str>, f64)]> {
        self.of_trial.clear();
        while let Some((at, metric, value)) = self.next.filter(|(at, ..)| *at <= index) {
            if at == index {
                self.of_trial.push((words.word(metric)?, value));
            }
            self.step()?;
        }
        Ok(&self.of_trial)
    }
}

/// Texts by their number, each read once.
struct Words<'a> {
    find: rusqlite::CachedStatement<'a>,
    known: HashMap<i64, Rc<str>>,
    points: HashMap<i64, Rc<Params>>,
}

impl<'a> Words<'a> {
    fn prepare(connection: &'a Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            find: connection.prepare_cached("SELECT word FROM words WHERE id = ?1")?,
            known: HashMap::new(),
            points: HashMap::new(),
        })
    }

    fn word(&mut self, number: i64) -> rusqlite::Result<Rc<str>> {
        if let Some(known) = self.known.get(&number) {
            return Ok(Rc::clone(known));
        }
        let word: String = self.find.query_row([number], |row| row.get(0))?;
        let word: Rc<str> = word.into();
        self.known.insert(number, Rc::clone(&word));
        Ok(word)
    }

    fn point(&mut self, number: i64) -> rusqlite::Result<Rc<Params>> {
        if let Some(known) = self.points.get(&number) {
            return Ok(Rc::clone(known));
        }
        let text = self.word(number)?;
        let point: Params = serde_json::from_str(&text).map_err(|error| unreadable(3, error))?;
        let point = Rc::new(point);
        self.points.insert(number, Rc::clone(&point));
        Ok(point)
    }
}

/// A value that this version did not write.
pub(super) fn unreadable(
    column: usize,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into())
}
