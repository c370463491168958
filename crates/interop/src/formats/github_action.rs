//! github-action-benchmark: its custom input, `[{"name", "unit", "value"}]`, and the history in its `data.js`.

use super::shared::ONLY_MEAN;
use crate::error::InteropError;
use crate::execution::{Execution, Metric};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Direction, Number};
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// See the module.
pub(crate) struct GithubAction;

const HISTORY: &str = "window.BENCHMARK_DATA";

const RULES: Rules = Rules::timing(
    &[
        way(Arm::Fields(&["commit"]), &["?suite", "benchmark"]),
        way(Arm::None, &["?suite", "benchmark"]),
    ],
    &[way(Arm::None, &["?suite", "benchmark"])],
);

impl Format for GithubAction {
    fn name(&self) -> &'static str {
        "github-action-benchmark"
    }

    fn title(&self) -> &'static str {
        "results for github-action-benchmark"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["[].name", "[].unit", "[].value"]) || head.first_line().starts_with(HISTORY)
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let name = input.name();
        let mut reader = BufReader::new(input.reader()?);
        let start = reader.fill_buf().map_err(InteropError::io(&path))?;
        if start.starts_with(HISTORY.as_bytes()) {
            // The assignment before the JSON.
            let mut before = Vec::new();
            let read = (&mut reader).take(100).read_until(b'=', &mut before);
            read.map_err(InteropError::io(&path))?;
            return history(&mut Json::new(name, reader), &path, sink);
        }
        let mut json = Json::new(name, reader);
        json.array(|json| {
            let bench: Bench = json.value("benchmark")?;
            sink_one(bench, Execution::of(&path), sink);
            Ok(())
        })
    }
}

#[derive(Deserialize)]
struct Bench {
    name: String,
    #[serde(default)]
    unit: String,
    value: Number,
}

#[derive(Deserialize)]
struct Commit {
    commit: Value,
    #[serde(default)]
    benches: Vec<Bench>,
}

fn history<R: Read>(
    json: &mut Json<R>,
    path: &Path,
    sink: &mut dyn Sink,
) -> Result<(), InteropError> {
    json.object(|key, json| match key {
        "entries" => json.object(|suite, json| {
            json.array(|json| {
                let entry: Commit = json.value(suite)?;
                let id = entry.commit["id"].as_str().unwrap_or_default();
                for bench in entry.benches {
                    let mut execution = Execution::of(path);
                    execution.set("suite", suite);
                    execution.set("commit", id.chars().take(8).collect::<String>());
                    sink_one(bench, execution, sink);
                }
                Ok(())
            })
        }),
        _ => json.skip(),
    })
}

fn sink_one(bench: Bench, mut execution: Execution, sink: &mut dyn Sink) {
    execution.set("benchmark", bench.name);
    let scale = Scale::of(&bench.unit);
    let metric = metric(&bench.unit, &scale);
    let value = scale.apply(bench.value.0);
    execution.metrics.push((sink.metric(&metric), value));
    execution.notes.push(ONLY_MEAN.to_owned());
    sink.execution(execution);
}

/// The metric of a unit: benchmarks of different units must not be averaged.
fn metric(unit: &str, scale: &Scale) -> Metric {
    let here = scale.metric("");
    match here.unit.as_deref() {
        Some("s" | "s/op" | "s/iter") => scale.time(),
        Some("B" | "B/op" | "B/iter") => scale.metric("size").better(Direction::Down).headline(),
        None => Metric::named("value").headline(),
        Some(_) if unit.contains("/s") => scale.metric(unit).better(Direction::Up).headline(),
        Some(_) => scale.metric(unit).headline(),
    }
}
