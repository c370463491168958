//! Writing effective results into the index.

use super::query::unreadable;
use fairtrial_model::{Outcome, Params, Record};
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use std::collections::HashMap;

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    /// The trial's first.
    First,
    /// In the place of one with this outcome.
    Instead(Outcome),
    /// One of a later attempt is there.
    Unused,
}

/// Writes the trials of one run.
pub(super) struct Trials<'a> {
    run: i64,
    /// Highest index of the run so far: a trial beyond it is new, and most are.
    highest: i64,
    words: Words<'a>,
    find: CachedStatement<'a>,
    put: CachedStatement<'a>,
    clear_metrics: CachedStatement<'a>,
    put_metric: CachedStatement<'a>,
}

impl<'a> Trials<'a> {
    pub(super) fn prepare(
        connection: &'a Connection,
        run: i64,
        known: &'a mut HashMap<String, i64>,
    ) -> rusqlite::Result<Self> {
        let highest = "SELECT coalesce(max(idx), -1) FROM trials WHERE run = ?1";
        Ok(Self {
            run,
            highest: connection.query_row(highest, [run], |row| row.get(0))?,
            words: Words::prepare(connection, known)?,
            find: connection
                .prepare_cached("SELECT attempt, outcome FROM trials WHERE run = ?1 AND idx = ?2")?,
            put: connection.prepare_cached(
                "INSERT OR REPLACE INTO trials(run, idx, attempt, task, arm, point, seed, rollout, outcome, wall)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
            clear_metrics: connection
                .prepare_cached("DELETE FROM metrics WHERE run = ?1 AND idx = ?2")?,
            put_metric: connection.prepare_cached(
                "INSERT OR REPLACE INTO metrics(run, idx, metric, value) VALUES(?1, ?2, ?3, ?4)",
            )?,
        })
    }

    /// Takes a record by the rule of [`crate::RunState`]: the highest attempt counts, and of two for one attempt the
    /// later.
    pub(super) fn put(&mut self, record: &Record) -> rusqlite::Result<Placed> {
        let key = (self.run, record.trial.index as i64);
        let before = if key.1 > self.highest {
            None
        } else {
            self.find(key)?
        };
        self.highest = self.highest.max(key.1);
        match &before {
            Some((attempt, _)) if *attempt > record.attempt => return Ok(Placed::Unused),
            Some(_) => drop(self.clear_metrics.execute(key)?),
            None => {}
        }
        self.put_trial(record)?;
        for (name, value) in &record.metrics {
            let metric = self.words.number(name)?;
            self.put_metric.execute((key.0, key.1, metric, value.0))?;
        }
        let Some((_, word)) = before else {
            return Ok(Placed::First);
        };
        let unknown = || unreadable(1, format!("unknown outcome `{word}`"));
        Outcome::from_word(&word)
            .map(Placed::Instead)
            .ok_or_else(unknown)
    }

    fn find(&mut self, key: (i64, i64)) -> rusqlite::Result<Option<(u32, String)>> {
        let found = self
            .find
            .query_row(key, |row| Ok((row.get(0)?, row.get(1)?)));
        found.optional()
    }

    fn put_trial(&mut self, record: &Record) -> rusqlite::Result<()> {
        let trial = &record.trial;
        let task = self.words.number(&trial.task)?;
        let arm = trial
            .arm
            .as_ref()
            .map(|arm| self.words.number(arm))
            .transpose()?;
        let point = self.words.point(&trial.point)?;
        self.put.execute(params![
            self.run,
            trial.index as i64,
            record.attempt,
            task,
            arm,
            point,
            trial.seed as i64,
            trial.rollout,
            record.outcome.word(),
            record.resources.wall,
        ])?;
        Ok(())
    }
}

/// Numbers for texts that repeat.
struct Words<'a> {
    known: &'a mut HashMap<String, i64>,
    add: CachedStatement<'a>,
    find: CachedStatement<'a>,
}

impl<'a> Words<'a> {
    fn prepare(
        connection: &'a Connection,
        known: &'a mut HashMap<String, i64>,
    ) -> rusqlite::Result<Self> {
        Ok(Self {
            known,
            add: connection.prepare_cached("INSERT OR IGNORE INTO words(word) VALUES(?1)")?,
            find: connection.prepare_cached("SELECT id FROM words WHERE word = ?1")?,
        })
    }

    fn number(&mut self, word: &str) -> rusqlite::Result<i64> {
        if let Some(known) = self.known.get(word) {
            return Ok(*known);
        }
        self.add.execute([word])?;
        let number = self.find.query_row([word], |row| row.get(0))?;
        self.known.insert(word.to_owned(), number);
        Ok(number)
    }

    fn point(&mut self, point: &Params) -> rusqlite::Result<Option<i64>> {
        if point.is_empty() {
            return Ok(None);
        }
        let text = serde_json::to_string(point)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        self.number(&text).map(Some)
    }
}
