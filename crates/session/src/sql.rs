//! Questions in SQL over all runs, their trials and their metrics.
//!
//! The tables live in memory for the time of a question. They are filled from the index and the journals, and those that a
//! question does not name are not read at all. Nothing that is asked can change anything.

use crate::error::SessionError;
use crate::session::Session;
use fairtrial_journal::{
    DataRoot, JournalError, RunDir, RunRow, RunState, RunStatus, Selector, effective_records,
};
use fairtrial_model::{Outcome, Record};
use fairtrial_text::nearest::did_you_mean;
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, Error, Statement, params};
use serde_json::Value;

/// The tables, as they are documented in `docs/reference/sql.md`.
const RUNS: &str = "CREATE TABLE runs(
  run TEXT PRIMARY KEY, name TEXT, stamp TEXT, config TEXT, status TEXT, live INTEGER, trials INTEGER,
  ok INTEGER, failed INTEGER, timeout INTEGER, oom INTEGER, infra INTEGER, cancelled INTEGER, skipped INTEGER,
  created_at TEXT, ended_at TEXT, mean_wall_s REAL)";
const TRIALS: &str = "CREATE TABLE trials(
  run TEXT, trial INTEGER, task TEXT, arm TEXT, point TEXT, seed, rollout INTEGER, attempt INTEGER,
  outcome TEXT, host TEXT, started_at TEXT, ended_at TEXT, wall_s REAL, user_s REAL, sys_s REAL, peak_memory_bytes INTEGER,
  PRIMARY KEY(run, trial))";
const METRICS: &str = "CREATE TABLE metrics(run TEXT, trial INTEGER, metric TEXT, value REAL, PRIMARY KEY(run, trial, metric))";
/// What a question may begin with.
const ASKING: [&str; 3] = ["select", "with", "values"];

/// Why a question has no answer.
enum QuestionError {
    /// SQLite does not understand it, or it would change something.
    Refused(String),
    /// The runs cannot be read.
    Journal(JournalError),
}

impl From<Error> for QuestionError {
    fn from(error: Error) -> Self {
        Self::Refused(error.to_string())
    }
}

impl From<JournalError> for QuestionError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl From<QuestionError> for SessionError {
    fn from(error: QuestionError) -> Self {
        match error {
            QuestionError::Refused(why) => Self::Input(why),
            QuestionError::Journal(error) => error.into(),
        }
    }
}

/// The rows that answer a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The columns, as the question names them.
    pub columns: Vec<String>,
    /// The rows; what is not known is null.
    pub rows: Vec<Vec<Value>>,
}

impl Session {
    /// The rows that answer a question over runs, trials and metrics; nothing is changed by it.
    pub fn ask(&self, sql: &str) -> Result<Answered, SessionError> {
        Ok(ask(&self.data_root(), &self.runs()?, sql)?)
    }
}

fn ask(root: &DataRoot, runs: &[RunRow], sql: &str) -> Result<Answered, QuestionError> {
    let first = sql
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    if !ASKING.contains(&first.as_str()) {
        return Err(QuestionError::Refused(format!(
            "a question begins with select, with or values, not `{first}`; nothing can be changed"
        )));
    }
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(RUNS)?;
    fill_runs(&connection, runs)?;
    let mut source = Source {
        connection: &connection,
        root,
        runs,
    };
    while let Some(table) = missing(&connection, sql) {
        source.fill(table)?;
    }
    connection.pragma_update(None, "query_only", true)?;
    let prepared = connection.prepare(sql);
    let mut statement = prepared.map_err(|error| refused(&connection, sql, error))?;
    if !statement.readonly() {
        return Err(QuestionError::Refused(
            "nothing can be changed by a question".to_owned(),
        ));
    }
    answered(&mut statement)
}

/// Why SQLite does not understand a question; where a name is wrong, with the nearest one that there is.
fn refused(connection: &Connection, sql: &str, error: Error) -> QuestionError {
    let (Error::SqlInputError { msg, .. } | Error::SqliteFailure(_, Some(msg))) = &error else {
        return error.into();
    };
    let tables = [Table::RUNS, Table::Trials.name(), Table::Metrics.name()];
    let lower = sql.to_lowercase();
    let named = || tables.into_iter().filter(|table| lower.contains(table));
    let columns = || {
        let of = "SELECT name FROM pragma_table_info(?)";
        let of = |table: &str| -> Result<Vec<String>, Error> {
            let mut statement = connection.prepare(of)?;
            let names = statement.query_map([table], |row| row.get(0))?;
            names.collect()
        };
        named()
            .filter_map(|table| of(table).ok())
            .flatten()
            .collect()
    };
    let (what, word, known): (&str, &str, Vec<String>) =
        if let Some(word) = msg.strip_prefix("no such column: ") {
            ("column", word, columns())
        } else if let Some(word) = msg.strip_prefix("no such table: ") {
            ("table", word, tables.map(str::to_owned).into())
        } else {
            return QuestionError::Refused(msg.clone());
        };
    let own = word.rsplit('.').next().unwrap_or(word);
    let near = did_you_mean(own, known.iter().map(String::as_str));
    let help = near.unwrap_or_else(|| format!("there are: {}", known.join(", ")));
    QuestionError::Refused(format!("there is no {what} `{word}`; {help}"))
}

/// The table that a question names and that is not there yet. SQLite names one at a time.
fn missing(connection: &Connection, sql: &str) -> Option<Table> {
    let said = connection.prepare(sql).err()?.to_string();
    let is_missing = |table: &Table| said.contains(&format!("no such table: {}", table.name()));
    let exists = |table: &Table| {
        let known = format!("SELECT 1 FROM {} LIMIT 0", table.name());
        connection.prepare(&known).is_ok()
    };
    let tables = [Table::Trials, Table::Metrics].into_iter();
    tables.filter(|table| !exists(table)).find(is_missing)
}

/// A table that is filled from journals.
#[derive(Debug, Clone, Copy)]
enum Table {
    Trials,
    Metrics,
}

impl Table {
    /// The table that is always there.
    const RUNS: &str = "runs";

    const fn name(self) -> &'static str {
        match self {
            Self::Trials => "trials",
            Self::Metrics => "metrics",
        }
    }
}

/// Where rows come from and go to.
struct Source<'a> {
    connection: &'a Connection,
    root: &'a DataRoot,
    runs: &'a [RunRow],
}

impl Source<'_> {
    fn fill(&mut self, table: Table) -> Result<(), QuestionError> {
        let (layout, put) = match table {
            Table::Trials => (
                TRIALS,
                "INSERT INTO trials VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            ),
            Table::Metrics => (METRICS, "INSERT OR REPLACE INTO metrics VALUES(?,?,?,?)"),
        };
        self.connection.execute_batch(layout)?;
        self.connection.execute_batch("BEGIN")?;
        let mut put = self.connection.prepare(put)?;
        for row in self.runs {
            let run = RunDir::open(self.root, &row.name, Selector::Stamp(row.stamp))?;
            let state = RunState::read(&run.journal())?;
            let name = format!("{}/{}", row.name, row.stamp);
            effective_records(&run.journal(), &state, |record| match table {
                Table::Trials => put_trial(&mut put, &name, &record),
                Table::Metrics => put_metrics(&mut put, &name, &record),
            })?;
        }
        drop(put);
        Ok(self.connection.execute_batch("COMMIT")?)
    }
}

fn fill_runs(connection: &Connection, runs: &[RunRow]) -> Result<(), Error> {
    let mut put =
        connection.prepare("INSERT INTO runs VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")?;
    for run in runs {
        let count = |outcome| run.counts.get(outcome) as i64;
        put.execute(params![
            format!("{}/{}", run.name, run.stamp),
            run.name,
            run.stamp.to_string(),
            run.config,
            run.status.map(RunStatus::word),
            run.live,
            run.trials as i64,
            count(Outcome::Ok),
            count(Outcome::Failed),
            count(Outcome::Timeout),
            count(Outcome::Oom),
            count(Outcome::Infra),
            count(Outcome::Cancelled),
            count(Outcome::Skipped),
            run.created_at.map(|time| time.to_string()),
            run.ended_at.map(|time| time.to_string()),
            run.mean_wall_s,
        ])?;
    }
    Ok(())
}

fn put_trial(put: &mut Statement<'_>, run: &str, record: &Record) -> Result<(), QuestionError> {
    let (trial, used) = (&record.trial, &record.resources);
    put.execute(params![
        run,
        trial.index as i64,
        trial.task,
        trial.arm,
        trial.point.to_string(),
        seed(trial.seed),
        trial.rollout,
        record.attempt,
        record.outcome.to_string(),
        record.host,
        record.started_at.map(|time| time.to_string()),
        record.ended_at.to_string(),
        used.wall,
        used.user,
        used.sys,
        used.peak_memory_bytes.map(|bytes| bytes as i64),
    ])?;
    Ok(())
}

/// SQLite has no unsigned numbers: the few seeds above its largest are text, which comes after every number.
fn seed(seed: u64) -> SqlValue {
    i64::try_from(seed).map_or_else(|_| SqlValue::Text(seed.to_string()), SqlValue::Integer)
}

fn put_metrics(put: &mut Statement<'_>, run: &str, record: &Record) -> Result<(), QuestionError> {
    for (metric, value) in &record.metrics {
        put.execute(params![run, record.trial.index as i64, metric, value.0])?;
    }
    Ok(())
}

fn answered(statement: &mut Statement<'_>) -> Result<Answered, QuestionError> {
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let many = columns.len();
    let mut found = statement.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let values = (0..many).map(|place| Ok(value(row.get_ref(place)?)));
        rows.push(values.collect::<Result<Vec<_>, Error>>()?);
    }
    drop(found);
    Ok(Answered { columns, rows })
}

fn value(of: ValueRef<'_>) -> Value {
    match of {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        // No number of JSON: null, as what is not known.
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            String::from_utf8_lossy(text).into_owned().into()
        }
    }
}
