//! The result file of a registered experiment (`iteration_metrics`, `environment`, `vcs`) as trials to compare.
//!
//! One such file is one process: its iterations are repetitions inside it, not independent runs. That is said with
//! every result made from them.

use super::{Dataset, FactKind, Origin, Repeat};
use crate::AnalysisError;
use crate::observation::{Key, Metrics, Observation, Used};
use fairtrial_model::{Direction, MetricDeclaration, Outcome, Params};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

#[derive(Deserialize)]
struct ResultFile {
    name: String,
    #[serde(default)]
    run_id: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    iteration_metrics: Vec<Iteration>,
    #[serde(default)]
    environment: Map<String, Value>,
    #[serde(default)]
    vcs: Map<String, Value>,
}

#[derive(Deserialize)]
struct Iteration {
    index: u64,
    #[serde(default)]
    duration_s: Option<f64>,
    #[serde(default)]
    metrics: Map<String, Value>,
}

/// Throughputs that the original system compares; more is better.
const THROUGHPUTS: [&str; 3] = [
    "observes_per_sec",
    "operations_per_second",
    "iterations_per_second",
];

impl Dataset {
    /// Reads a result file's text.
    pub fn from_result_json(label: &str, text: &str) -> Result<Self, AnalysisError> {
        let file: ResultFile =
            serde_json::from_str(text).map_err(|error| AnalysisError::Content {
                label: label.to_owned(),
                message: format!("not a result file: {error}"),
            })?;
        let origin = Origin::ResultJson {
            run_id: file.run_id.clone(),
        };
        let mut data = Self::new(label, origin);
        data.repeat = Repeat::Iteration;
        for iteration in &file.iteration_metrics {
            data.push(&observation(&file, iteration));
        }
        data.declared = declarations(&data);
        for (name, value) in &file.parameters {
            data.fact(FactKind::Parameters, name, Params::display(value));
        }
        for (name, value) in &file.environment {
            data.fact(FactKind::Machine, name, Params::display(value));
        }
        vcs_facts(&mut data, &file.vcs);
        Ok(data)
    }
}

fn observation<'a>(file: &'a ResultFile, iteration: &'a Iteration) -> Observation<'a> {
    let mut values: Vec<(Cow<'a, str>, f64)> = Vec::new();
    numbers(&mut values, "", &iteration.metrics);
    let duration = "duration_s";
    if let Some(seconds) = iteration.duration_s
        && !values.iter().any(|(name, _)| name == duration)
    {
        values.push((Cow::Borrowed(duration), seconds));
    }
    Observation {
        trial: Key {
            index: iteration.index,
            task: Cow::Borrowed(&file.name),
            arm: None,
            point: Params::new(),
            seed: 0,
            rollout: iteration.index as u32,
        },
        id: Cow::Borrowed(&file.run_id),
        outcome: Outcome::Ok,
        resources: Used {
            wall: iteration.duration_s,
        },
        series: std::collections::BTreeMap::new(),
        facts: std::collections::BTreeMap::new(),
        notes: Vec::new(),
        reused_from: None,
        metrics: Metrics(values),
    }
}

/// Every number, those inside objects by their path; a truth value is 0 or 1.
fn numbers<'a>(values: &mut Vec<(Cow<'a, str>, f64)>, path: &str, map: &'a Map<String, Value>) {
    for (name, value) in map {
        let name = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        match value {
            Value::Number(number) => values.extend(number.as_f64().map(|x| (Cow::Owned(name), x))),
            Value::Bool(truth) => values.push((Cow::Owned(name), f64::from(u8::from(*truth)))),
            Value::Object(inner) => numbers(values, &name, inner),
            _ => {}
        }
    }
}

/// Which way is better for the metrics that the original compares; the others stay undeclared.
fn declarations(data: &Dataset) -> Vec<MetricDeclaration> {
    let known = [("duration_s", Direction::Down)];
    let throughputs = THROUGHPUTS.map(|name| (name, Direction::Up));
    let reported = |name: &str| data.columns.iter().any(|column| column.name == name);
    let all = known.into_iter().chain(throughputs);
    all.filter(|(name, _)| reported(name))
        .map(|(name, direction)| MetricDeclaration {
            direction: Some(direction),
            unit: (direction == Direction::Down).then(|| "s".to_owned()),
            ..MetricDeclaration::named(name)
        })
        .collect()
}

fn vcs_facts(data: &mut Dataset, vcs: &Map<String, Value>) {
    if let Some(commit) = vcs.get("commit").and_then(Value::as_str) {
        data.fact(FactKind::Source, "commit", commit);
    }
    if vcs.get("dirty").and_then(Value::as_bool) == Some(true) {
        data.fact(FactKind::DirtyTree, "uncommitted changes", "yes");
    }
}
