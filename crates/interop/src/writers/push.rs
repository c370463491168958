//! Runs to MLflow and W&B through the user's own client in a process of its own: login, server and network are theirs.

use super::outgoing::Outgoing;
use super::rows::SeriesRow;
use crate::error::{FilePlace, InteropError};
use crate::online::access::Access;
use fairtrial_model::{Number, Outcome, Params};
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
    let ended = Program::new(&access.python, access.limit)
        .called(format!("python ({package})"))
        .args(["-c", script, run.name])
        .input(lines(run, series))
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
fn lines(run: &Outgoing<'_>, series: &[SeriesRow]) -> String {
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
        let number = |value: f64| serde_json::to_value(Number(value)).unwrap_or(Value::Null);
        let metrics = record.metrics.iter();
        let metrics: Map<String, Value> = metrics
            .map(|(name, value)| (name.clone(), number(value.0)))
            .collect();
        let points = series.iter().filter(|row| row.record == place);
        let points: Vec<Value> = points
            .map(|row| json!([row.metric, number(row.step), number(row.value)]))
            .collect();
        let line = json!({
            "name": format!("{}-{}", run.name, trial.index),
            "config": config,
            "metrics": metrics,
            "series": points,
            "outcome": record.outcome.word(),
            "ok": record.outcome == Outcome::Ok,
        });
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}
