//! pytest-benchmark's JSON. Rounds of one test ran in one process; plain `--benchmark-save` keeps only statistics.

use super::shared::{ONLY_MEAN, fact};
use crate::error::InteropError;
use crate::execution::{Execution, FactKind, Samples};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Number, Params};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

/// See the module.
pub(crate) struct PytestBenchmark;

const RULES: Rules = Rules::timing(
    &[
        way(Arm::Differing("param."), &["function", "param.*"]),
        way(Arm::None, &["benchmark"]),
    ],
    &[way(Arm::None, &["benchmark"])],
);

impl Format for PytestBenchmark {
    fn name(&self) -> &'static str {
        "pytest-benchmark"
    }

    fn title(&self) -> &'static str {
        "results of pytest-benchmark"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["machine_info"])
            && (head.has(&["benchmarks[].stats", "benchmarks[].fullname"])
                || head.has(&["commit_info"]))
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        json.object(|key, json| match key {
            "machine_info" => {
                let machine: Value = json.value(key)?;
                for (name, value) in [
                    ("host", &machine["node"]),
                    ("cpu", &machine["cpu"]["brand_raw"]),
                    ("python", &machine["python_version"]),
                ] {
                    fact(sink, FactKind::Machine, name, value);
                }
                Ok(())
            }
            "commit_info" => {
                let commit: Value = json.value(key)?;
                fact(sink, FactKind::Source, "commit", &commit["id"]);
                Ok(())
            }
            "benchmarks" => json.array(|json| {
                let benchmark: Benchmark = json.value("benchmarks")?;
                sink_one(benchmark, &path, sink);
                Ok(())
            }),
            _ => json.skip(),
        })
    }
}

#[derive(Deserialize)]
struct Benchmark {
    #[serde(default)]
    group: Option<String>,
    name: String,
    fullname: String,
    #[serde(default)]
    params: Option<Map<String, Value>>,
    stats: Stats,
}

#[derive(Deserialize)]
struct Stats {
    #[serde(default)]
    mean: Option<Number>,
    #[serde(default)]
    data: Vec<Number>,
}

fn sink_one(benchmark: Benchmark, path: &Path, sink: &mut dyn Sink) {
    let mut execution = Execution::of(path);
    // The function without what pytest puts into brackets for its parameters.
    let function = benchmark.fullname.split('[').next().unwrap_or_default();
    execution.set("function", function);
    execution.set("benchmark", &benchmark.fullname);
    execution.set("name", &benchmark.name);
    execution.set_some("group", benchmark.group);
    for (name, value) in benchmark.params.unwrap_or_default() {
        execution.set(&format!("param.{name}"), Params::display(&value));
    }
    let time = sink.metric(&Scale::of("s").time());
    if benchmark.stats.data.is_empty() {
        let mean = benchmark.stats.mean.map(|mean| (time, mean.0));
        execution.metrics.extend(mean);
        execution.notes.push(ONLY_MEAN.to_owned());
    } else {
        execution.samples.push(Samples {
            metric: time,
            values: benchmark.stats.data.iter().map(|value| value.0).collect(),
        });
    }
    sink.execution(execution);
}
