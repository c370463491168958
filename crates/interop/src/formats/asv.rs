//! asv's results: `results/<machine>/<commit>-<environment>.json`, with units and names of parameters in
//! `results/benchmarks.json` alone.
//!
//! A result that is null failed, one that is NaN was skipped. Samples are there with `--record-samples`.

use super::shared::{ONLY_MEAN, fact};
use crate::error::InteropError;
use crate::execution::{Execution, FactKind, Metric, Samples};
use crate::format::{Format, ReadUnit};
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Direction, Number, Outcome, Params};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// See the module.
pub(crate) struct Asv;

const BENCHMARKS: &str = "benchmarks.json";
/// The places of a benchmark's list in files that do not name them.
const COLUMNS: [&str; 12] = [
    "result",
    "params",
    "version",
    "started_at",
    "duration",
    "stats_ci_99_a",
    "stats_ci_99_b",
    "stats_q_25",
    "stats_q_75",
    "stats_number",
    "stats_repeat",
    "samples",
];
/// Combinations of parameters of one benchmark.
const MOST_COMBINATIONS: usize = 1_000_000;

const RULES: Rules = Rules::timing(
    &[
        way(
            Arm::Fields(&["commit"]),
            &["?machine", "?environment", "benchmark", "param.*"],
        ),
        way(
            Arm::Fields(&["environment"]),
            &["?machine", "benchmark", "param.*"],
        ),
        way(Arm::None, &["benchmark", "param.*"]),
    ],
    &[way(
        Arm::None,
        &["?machine", "?environment", "benchmark", "param.*"],
    )],
);

impl Format for Asv {
    fn name(&self) -> &'static str {
        "asv"
    }

    fn title(&self) -> &'static str {
        "results of asv"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["commit_hash", "env_name"])
            && (head.has(&["result_columns"]) || head.has(&["results"]))
    }

    fn units(&self, files: Vec<PathBuf>) -> Result<Vec<ReadUnit>, InteropError> {
        // Commits in the order of their dates: the first is what others are compared with.
        let mut dated = Vec::new();
        for path in files {
            let input = Input::open(&path)?;
            let mut date = f64::INFINITY;
            let mut json = Json::new(input.name(), input.reader()?);
            // A file that cannot be read is told about when it is.
            let _ = json.object(|key, json| match key {
                "date" => {
                    date = json.value::<Number>(key)?.0;
                    Ok(())
                }
                _ => json.skip(),
            });
            dated.push((date, path));
        }
        dated.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        Ok(dated
            .into_iter()
            .map(|(_, path)| ReadUnit::one(path))
            .collect())
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let declared = declared(&path)?;
        let mut json = Json::new(input.name(), input.reader()?);
        let mut file = AsvFile::default();
        let mut columns: Vec<String> = COLUMNS.map(str::to_owned).to_vec();
        json.object(|key, json| match key {
            "commit_hash" => {
                let commit = json.text(key)?;
                // The hash as people write it.
                file.commit = commit.chars().take(8).collect();
                Ok(())
            }
            "env_name" => {
                file.environment = json.text(key)?;
                Ok(())
            }
            "params" => {
                let machine: Value = json.value(key)?;
                machine["machine"]
                    .as_str()
                    .unwrap_or_default()
                    .clone_into(&mut file.machine);
                fact(sink, FactKind::Machine, "host", &machine["machine"]);
                fact(sink, FactKind::Machine, "cpu", &machine["cpu"]);
                Ok(())
            }
            "result_columns" => {
                columns = json.value(key)?;
                Ok(())
            }
            "results" => json.object(|name, json| {
                let raw: Value = json.value(name)?;
                let result = Result1::of(raw, &columns);
                let place = json.place().field(name);
                result
                    .give((&file, &path), (name, declared.get(name)), sink)
                    .map_err(|message| InteropError::content(place, message))
            }),
            _ => json.skip(),
        })
    }
}

/// What holds for all results of a file.
#[derive(Default)]
struct AsvFile {
    commit: String,
    environment: String,
    machine: String,
}

#[derive(Deserialize)]
struct Declared {
    #[serde(default)]
    param_names: Vec<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    unit: Option<String>,
}

/// The declarations that lie one or two folders up; without them units are unknown.
fn declared(path: &Path) -> Result<HashMap<String, Declared>, InteropError> {
    let mut found = HashMap::new();
    let folders = path.ancestors().skip(1).take(2);
    let Some(file) = folders
        .map(|folder| folder.join(BENCHMARKS))
        .find(|file| file.is_file())
    else {
        return Ok(found);
    };
    let input = Input::open(&file)?;
    Json::new(input.name(), input.reader()?).object(|name, json| {
        let value: Value = json.value(name)?;
        if let Ok(declared) = Declared::deserialize(value) {
            found.insert(name.to_owned(), declared);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The result of one benchmark: a number for each combination of its parameters, the last of which changes fastest.
#[derive(Default)]
struct Result1 {
    result: Value,
    params: Vec<Vec<String>>,
    samples: Value,
}

impl Result1 {
    /// Versions differ: a list with named places, a table, or the bare number.
    fn of(raw: Value, columns: &[String]) -> Self {
        let table: Map<String, Value> = match raw {
            Value::Array(list) => columns.iter().cloned().zip(list).collect(),
            Value::Object(table) => table,
            other => Map::from_iter([("result".to_owned(), other)]),
        };
        let get = |key: &str| table.get(key).cloned().unwrap_or_default();
        let words = |value: &Value| {
            let list = value.as_array().into_iter().flatten();
            list.map(Params::display).collect::<Vec<String>>()
        };
        let params = get("params");
        Self {
            result: get("result"),
            params: params.as_array().into_iter().flatten().map(words).collect(),
            samples: get("samples"),
        }
    }

    fn give(
        &self,
        (file, path): (&AsvFile, &Path),
        (name, declared): (&str, Option<&Declared>),
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let sizes = self.params.iter().map(Vec::len);
        let combinations = sizes
            .clone()
            .try_fold(1_usize, usize::checked_mul)
            .filter(|total| *total <= MOST_COMBINATIONS)
            .ok_or("too many combinations of parameters")?;
        let (metric, scale) = metric(name, declared);
        for place in 0..combinations {
            let mut execution = Execution::of(path);
            execution.set("benchmark", name);
            execution.set("commit", &file.commit);
            execution.set("environment", &file.environment);
            execution.set("machine", &file.machine);
            let mut rest = place;
            let mut chosen: Vec<&str> = Vec::new();
            for values in self.params.iter().rev() {
                chosen.push(&values[rest % values.len()]);
                rest /= values.len();
            }
            for (at, value) in chosen.iter().rev().enumerate() {
                let name = declared.and_then(|declared| declared.param_names.get(at));
                let name = name.cloned().unwrap_or_else(|| (at + 1).to_string());
                execution.set(&format!("param.{name}"), *value);
            }
            self.measured(&mut execution, place, |execution, values| {
                let values: Vec<f64> = values.iter().map(|value| scale.apply(*value)).collect();
                let metric = sink.metric(&metric);
                if let [only] = values[..] {
                    execution.metrics.push((metric, only));
                    execution.notes.push(ONLY_MEAN.to_owned());
                } else {
                    execution.samples.push(Samples { metric, values });
                }
            });
            sink.execution(execution);
        }
        Ok(())
    }

    /// The numbers of one combination: its samples, else the one number that asv made of them.
    fn measured(
        &self,
        execution: &mut Execution,
        place: usize,
        add: impl FnOnce(&mut Execution, &[f64]),
    ) {
        let result = match &self.result {
            Value::Array(list) => list.get(place).cloned().unwrap_or_default(),
            other => other.clone(),
        };
        let samples = match &self.samples {
            Value::Array(list) => list.get(place).cloned().unwrap_or_default(),
            _ => Value::Null,
        };
        let numbers: Vec<Number> = Vec::deserialize(samples).unwrap_or_default();
        match Number::deserialize(&result) {
            Err(_) => execution.fail(Outcome::Failed, "asv says that it failed (null)"),
            Ok(number) if number.0.is_nan() => {
                execution.fail(Outcome::Skipped, "asv says that it was skipped (NaN)");
            }
            Ok(number) if numbers.is_empty() => add(execution, &[number.0]),
            Ok(_) => {
                let values: Vec<f64> = numbers.iter().map(|number| number.0).collect();
                add(execution, &values);
            }
        }
    }
}

/// What a benchmark measures: its declaration says, else the beginning of its name.
fn metric(name: &str, declared: Option<&Declared>) -> (Metric, Scale) {
    let last = name.rsplit('.').next().unwrap_or(name);
    let guess = match last.split('_').next() {
        Some("time" | "timeraw") => ("time", "seconds"),
        Some("mem" | "peakmem") => ("memory", "bytes"),
        _ => ("track", ""),
    };
    let kind = declared.and_then(|declared| declared.kind.as_deref());
    let unit = declared.and_then(|declared| declared.unit.as_deref());
    let unit = unit.unwrap_or(guess.1);
    let scale = Scale::of(unit);
    let metric = match kind.unwrap_or(guess.0) {
        "time" => scale.time(),
        "memory" | "peakmemory" => scale.metric("memory").better(Direction::Down).headline(),
        _ if unit.is_empty() || unit == "unit" => Metric::named("value").headline(),
        _ => scale.metric(unit).headline(),
    };
    (metric, scale)
}
