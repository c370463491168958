//! pyperf's JSON: several processes per benchmark, several values per process. Runs without values are calibration.

use super::shared::fact;
use crate::error::InteropError;
use crate::execution::{Execution, FactKind, Samples};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use crate::time;
use fairtrial_model::{Direction, Number};
use serde::Deserialize;
use serde_json::{Map, Value};

/// See the module.
pub(crate) struct Pyperf;

const WAYS: &[Way] = &[way(Arm::None, &["benchmark"])];

const RULES: Rules = Rules::timing(&[way(Arm::Fields(&["benchmark"]), &[])], WAYS);

impl Format for Pyperf {
    fn name(&self) -> &'static str {
        "pyperf"
    }

    fn title(&self) -> &'static str {
        "results of pyperf"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["benchmarks[].runs"])
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        let mut common: Map<String, Value> = Map::new();
        let mut benchmarks: Vec<Benchmark> = Vec::new();
        // What all benchmarks share stands behind them, and their names with it.
        json.object(|key, json| match key {
            "metadata" => {
                common = json.value(key)?;
                Ok(())
            }
            "benchmarks" => json.array(|json| {
                benchmarks.push(json.value("benchmarks")?);
                Ok(())
            }),
            _ => json.skip(),
        })?;
        for (name, key) in [
            ("host", "hostname"),
            ("cpu", "cpu_model_name"),
            ("python", "python_version"),
        ] {
            let value = common.get(key).unwrap_or(&Value::Null);
            fact(sink, FactKind::Machine, name, value);
        }
        for benchmark in benchmarks {
            let of = |key: &str| {
                let own = benchmark.metadata.get(key).or_else(|| common.get(key));
                own.and_then(Value::as_str)
            };
            let name = of("name").unwrap_or("unnamed");
            let scale = Scale::of(of("unit").unwrap_or("second"));
            let metric = match of("unit") {
                None | Some("second") => scale.time(),
                Some("byte") => scale.metric("memory").better(Direction::Down).headline(),
                Some(_) => scale.metric("value").headline(),
            };
            let metric = sink.metric(&metric);
            for run in benchmark.runs.iter().filter(|run| !run.values.is_empty()) {
                let mut execution = Execution::of(&path);
                execution.set("benchmark", name);
                execution.started_at = run
                    .metadata
                    .get("date")
                    .and_then(Value::as_str)
                    .and_then(time::from_text);
                let rss = run.metadata.get("mem_max_rss").and_then(Value::as_f64);
                if let Some(bytes) = rss.filter(|_| of("unit") != Some("byte")) {
                    let memory = Scale::of("B").metric("memory").better(Direction::Down);
                    execution.metrics.push((sink.metric(&memory), bytes));
                }
                execution.samples.push(Samples {
                    metric,
                    values: run.values.iter().map(|value| value.0).collect(),
                });
                sink.execution(execution);
            }
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Benchmark {
    #[serde(default)]
    metadata: Map<String, Value>,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    metadata: Map<String, Value>,
    #[serde(default)]
    values: Vec<Number>,
}
