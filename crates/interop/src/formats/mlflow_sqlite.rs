//! MLflow's SQLite store, its default since 3.x. NaN is a flag beside a 0, and infinities are the largest numbers.

use super::mlflow_files::{RULES, ended};
use crate::error::{FilePlace, InteropError};
use crate::execution::{Execution, Metric};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::rules::Rules;
use crate::sink::Sink;
use crate::time;
use rusqlite::{Connection, OpenFlags, Row};
use std::path::Path;

/// See the module.
pub(crate) struct MlflowSqlite;

const MAGIC: &[u8] = b"SQLite format 3\0";
/// The tables that are read. They must be tables: a view could be an endless computation.
const TABLES: [&str; 5] = ["experiments", "runs", "metrics", "params", "tags"];

impl Format for MlflowSqlite {
    fn name(&self) -> &'static str {
        "mlflow-sqlite"
    }

    fn title(&self) -> &'static str {
        "runs of MLflow (SQLite)"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        let is_database = head.bytes.starts_with(MAGIC);
        is_database && head.path.as_deref().is_some_and(|path| open(path).is_ok())
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path();
        let wrong = |error: rusqlite::Error| {
            InteropError::content(FilePlace::of(input.name()), error.to_string())
        };
        let database = open(path).map_err(wrong)?;
        let mut runs = database
            .prepare(
                "SELECT r.run_uuid, r.name, r.status, r.start_time, r.end_time, e.name, r.lifecycle_stage
                 FROM runs r LEFT JOIN experiments e ON e.experiment_id = r.experiment_id
                 ORDER BY r.start_time, r.run_uuid",
            )
            .map_err(wrong)?;
        let mut rows = runs.query([]).map_err(wrong)?;
        while let Some(row) = rows.next().map_err(wrong)? {
            let text = |column| text(row, column);
            let Some(run) = text(0) else {
                continue;
            };
            if text(6).as_deref() == Some("deleted") {
                sink.note(format!(
                    "{}: run {run} is deleted and left out",
                    input.name()
                ));
                continue;
            }
            let mut execution = Execution::of(path);
            execution.set("run", &run);
            execution.set_some("name", text(1));
            execution.set_some("experiment", text(5));
            let at = |column| {
                let millis: Option<f64> = row.get(column).ok();
                millis.and_then(|millis| time::from_seconds(millis / 1000.0))
            };
            execution.started_at = at(3);
            execution.ended_at = at(4);
            ended(&mut execution, &text(2).unwrap_or_default());
            pairs(&database, "params", &run, |key, value| {
                execution.set(&format!("param.{key}"), value);
            })
            .map_err(wrong)?;
            pairs(&database, "tags", &run, |key, value| {
                if !key.starts_with("mlflow.") {
                    execution.set(&format!("tag.{key}"), value);
                }
            })
            .map_err(wrong)?;
            points(&database, &run, sink).map_err(wrong)?;
            sink.execution(execution);
        }
        Ok(())
    }
}

/// Opens the database for reading alone, and only where it is a store of MLflow.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags)?;
    // The file may be anybody's: nothing in its schema is run.
    database.pragma_update(None, "trusted_schema", false)?;
    database.pragma_update(None, "cell_size_check", true)?;
    for table in TABLES {
        let found: i64 = database.query_row(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?1
             AND sql NOT LIKE 'CREATE VIRTUAL%'",
            [table],
            |row| row.get(0),
        )?;
        if found != 1 {
            return Err(rusqlite::Error::InvalidParameterName(format!(
                "no store of MLflow: it has no table `{table}`"
            )));
        }
    }
    Ok(database)
}

/// What stands in a column, as text.
fn text(row: &Row<'_>, column: usize) -> Option<String> {
    use rusqlite::types::ValueRef;
    match row.get_ref(column).ok()? {
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        _ => None,
    }
}

fn pairs(
    database: &Connection,
    table: &str,
    run: &str,
    mut each: impl FnMut(&str, String),
) -> rusqlite::Result<()> {
    let question = format!("SELECT key, value FROM {table} WHERE run_uuid = ?1 ORDER BY key");
    let mut statement = database.prepare_cached(&question)?;
    let mut rows = statement.query([run])?;
    while let Some(row) = rows.next()? {
        if let (Some(key), Some(value)) = (text(row, 0), text(row, 1)) {
            each(&key, value);
        }
    }
    Ok(())
}

fn points(database: &Connection, run: &str, sink: &mut dyn Sink) -> rusqlite::Result<()> {
    let mut statement = database.prepare_cached(
        "SELECT key, value, step, is_nan FROM metrics WHERE run_uuid = ?1 ORDER BY key, step, timestamp",
    )?;
    let mut rows = statement.query([run])?;
    let mut last: Option<(String, crate::execution::MetricId)> = None;
    while let Some(row) = rows.next()? {
        let Some(key) = text(row, 0) else {
            continue;
        };
        let metric = match &last {
            Some((known, metric)) if *known == key => *metric,
            _ => sink.metric(&Metric::named(&key)),
        };
        last = Some((key, metric));
        let is_nan: i64 = row.get(3).unwrap_or(0);
        let value: f64 = row.get(1)?;
        let value = match value {
            _ if is_nan != 0 => f64::NAN,
            f64::MAX => f64::INFINITY,
            f64::MIN => f64::NEG_INFINITY,
            value => value,
        };
        let step: f64 = row.get(2).unwrap_or(0.0);
        sink.point(metric, step, value);
    }
    Ok(())
}
