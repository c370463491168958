//! Runs to MLflow and W&B through the user's own client in a process of its own: login, server and network are theirs.

use super::outgoing::Outgoing;
use super::rows::{SeriesRow, by_record};
use crate::error::{FilePlace, InteropError};
use crate::online::access::Access;
use fairtrial_model::{Number, Outcome, Params, Record};
use fairtrial_process::Program;
use serde_json::{Map, Value, json};

const MLFLOW: &str = include_str!("mlflow_push.py");
const WANDB: &str = include_str!("wandb_push.py");

/// A tracker of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracker {
    /// MLflow.
    Mlflow,
    /// W&B.
    Wandb,
}

/// Gives a run to a tracker, one of its runs for each trial; gives what the client says.
pub fn push(
    run: &Outgoing<'_>,
    series: &[SeriesRow],
    tracker: Tracker,
    access: &Access,
) -> Result<String, InteropError> {
    let (script, package) = match tracker {
        Tracker::Mlflow => (MLFLOW, "mlflow"),
        Tracker::Wandb => (WANDB, "wandb"),
    };
    let wrong = |error: fairtrial_process::ProcessError| {
        InteropError::content(FilePlace::of(package), error.to_string())
    };
    let input = lines(run, series)?;
    let ended = Program::new(&access.python, access.limit)
        .called(format!("python ({package})"))
        .args(["-c", script, run.name])
        .input(input)
        .run()
        .map_err(wrong)?;
    let ended = ended.success().map_err(wrong)?;
    // Clients print addresses of each run; the last line is ours.
    Ok(ended
        .text()
        .trim()
        .lines()
        .next_back()
        .unwrap_or_default()
        .to_owned())
}

/// One line for each trial.
fn lines(run: &Outgoing<'_>, series: &[SeriesRow]) -> Result<String, InteropError> {
    let curves = by_record(series);
    let mut text = String::new();
    for (place, record) in run.records.iter().enumerate() {
        let trial = &record.trial;
        let mut config = Map::new();
        config.insert("task".to_owned(), json!(trial.task));
        if let Some(arm) = &trial.arm {
            config.insert("arm".to_owned(), json!(arm));
        }
        config.insert("seed".to_owned(), json!(trial.seed));
        config.insert("rollout".to_owned(), json!(trial.rollout));
        for (name, value) in trial.point.iter() {
            config.insert(format!("point.{name}"), json!(Params::display(value)));
        }
        let curves = curves.get(&place).copied().unwrap_or_default();
        let points: Result<Vec<Value>, InteropError> = curves.iter().map(point).collect();
        let line = json!({
            "id": run_id(run, trial.index),
            "name": format!("{}-{}", run.name, trial.index),
            "config": config,
            "metrics": values(record, curves),
            "series": points?,
            "outcome": record.outcome.word(),
            "ok": record.outcome == Outcome::Ok,
        });
        text.push_str(&line.to_string());
        text.push('\n');
    }
    Ok(text)
}

/// What a trial is called in the tracker: the same whenever it is pushed.
fn run_id(run: &Outgoing<'_>, index: u64) -> String {
    let id = format!("{}-{}-{index}", run.name, run.stamp);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    id.chars().map(plain).collect()
}

/// The values of a trial. A tracker takes the last point of a curve for its value; where that is another, the value stands
/// beside the curve.
fn values(record: &Record, curves: &[SeriesRow]) -> Map<String, Value> {
    let metrics = record.metrics.iter().filter_map(|(name, value)| {
        let last = curves.iter().rfind(|row| row.metric == *name);
        let name = match last {
            Some(last) if last.value.to_bits() == value.0.to_bits() => return None,
            Some(_) => format!("{name}.value"),
            None => name.clone(),
        };
        Some((name, number(value.0)))
    });
    metrics.collect()
}

/// A point of a curve, whose step a tracker keeps as a whole number.
fn point(row: &SeriesRow) -> Result<Value, InteropError> {
    // Every whole number up to here is one of its own.
    let whole = row.step.fract() == 0.0 && row.step.abs() <= 9_007_199_254_740_992.0;
    if !whole {
        return Err(InteropError::Unknown(format!(
            "`{}` has a point at step {}, and MLflow and W&B keep whole steps only: nothing was pushed",
            row.metric, row.step
        )));
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
    let step = row.step as i64;
    Ok(json!([row.metric, step, number(row.value)]))
}

fn number(value: f64) -> Value {
    serde_json::to_value(Number(value)).unwrap_or(Value::Null)
}
