//! Google Benchmark's JSON: repetitions, aggregates and complexity rows in one list, counters beside the times.
//!
//! Repetitions ran in one process. Aggregates are used only where the file has nothing else.

use super::shared::{ONLY_MEAN, fact};
use crate::error::InteropError;
use crate::execution::{Execution, FactKind, MetricId};
use crate::format::Format;
use crate::grouped::Grouped;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Direction, Number, Outcome};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

/// See the module.
pub(crate) struct GoogleBenchmark;

const WAYS: &[Way] = &[way(Arm::None, &["benchmark"])];

/// Numbers of a row that are no counters.
const OWN_KEYS: [&str; 8] = [
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "complexity_n",
    "rms",
];

const RULES: Rules = Rules::timing(WAYS, WAYS);

impl Format for GoogleBenchmark {
    fn name(&self) -> &'static str {
        "google-benchmark"
    }

    fn title(&self) -> &'static str {
        "results of Google Benchmark"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["context", "benchmarks"])
            && (head.has(&["context.num_cpus"]) || head.has(&["benchmarks[].real_time"]))
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        let mut rows = Grouped::default();
        let read = json.object(|key, json| match key {
            "context" => {
                let context: Value = json.value(key)?;
                fact(sink, FactKind::Machine, "host", &context["host_name"]);
                fact(sink, FactKind::Machine, "cores", &context["num_cpus"]);
                fact(
                    sink,
                    FactKind::Tool,
                    "build",
                    &context["library_build_type"],
                );
                Ok(())
            }
            "benchmarks" => json.array(|json| {
                add(&json.value("benchmarks")?, &path, &mut rows, sink);
                Ok(())
            }),
            _ => json.skip(),
        });
        rows.give(sink, |execution| {
            if execution.samples.is_empty() && !execution.metrics.is_empty() {
                execution.notes.push(ONLY_MEAN.to_owned());
            } else if !execution.samples.is_empty() {
                execution.metrics.clear();
                repetitions_failed(execution);
            }
            let is_empty = execution.samples.is_empty() && execution.metrics.is_empty();
            !is_empty || execution.outcome != Outcome::Ok
        });
        read
    }
}

#[derive(Deserialize)]
struct Row {
    name: String,
    #[serde(default)]
    run_name: Option<String>,
    #[serde(default)]
    run_type: Option<String>,
    #[serde(default)]
    aggregate_name: Option<String>,
    #[serde(default)]
    error_occurred: bool,
    #[serde(default)]
    error_message: Option<String>,
    #[serde(default)]
    skipped: Option<Value>,
    #[serde(default)]
    skip_message: Option<String>,
    #[serde(default)]
    real_time: Option<Number>,
    #[serde(default)]
    cpu_time: Option<Number>,
    #[serde(default)]
    time_unit: Option<String>,
    #[serde(default)]
    label: Option<String>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

fn add(row: &Row, path: &Path, rows: &mut Grouped, sink: &mut dyn Sink) {
    let name = row.run_name.as_deref().unwrap_or(&row.name);
    let execution = || {
        let mut execution = Execution::of(path);
        execution.set("benchmark", name);
        execution.set_some("label", row.label.as_deref());
        execution
    };
    if row.run_type.as_deref() == Some("aggregate") {
        if row.aggregate_name.as_deref() == Some("mean") {
            let means = values(row, sink);
            rows.row(name, execution).execution().metrics = means;
        }
        return;
    }
    // Complexity rows of versions that do not say so.
    if row.others.contains_key("big_o") || row.others.contains_key("rms") {
        return;
    }
    let mut place = rows.row(name, execution);
    let failed = row.error_occurred || row.error_message.is_some();
    let skipped = row.skipped.as_ref().is_some_and(|value| *value != false);
    if failed {
        let message = row.error_message.as_deref().unwrap_or("it failed");
        place.execution().fail(Outcome::Failed, message);
    } else if skipped {
        let message = row.skip_message.as_deref().unwrap_or("no reason given");
        let execution = place.execution();
        execution.fail(Outcome::Skipped, format!("skipped: {message}"));
    } else {
        for (metric, value) in values(row, sink) {
            place.push(metric, value);
        }
    }
}

/// Where other repetitions have their times, one that failed is a gap among them.
pub(super) fn repetitions_failed(execution: &mut Execution) {
    if execution.outcome != Outcome::Ok {
        let cause = execution.cause.take();
        let cause = cause.map_or_else(String::new, |cause| cause.to_string());
        execution
            .notes
            .push(format!("a repetition failed: {cause}"));
        execution.outcome = Outcome::Ok;
    }
}

/// The numbers of a row.
fn values(row: &Row, sink: &mut dyn Sink) -> Vec<(MetricId, f64)> {
    let scale = Scale::of(row.time_unit.as_deref().unwrap_or("ns"));
    let mut values = Vec::new();
    if let Some(time) = row.real_time {
        values.push((sink.metric(&scale.time()), scale.apply(time.0)));
    }
    if let Some(time) = row.cpu_time {
        let cpu = scale.metric("cpu").better(Direction::Down);
        values.push((sink.metric(&cpu), scale.apply(time.0)));
    }
    for (name, value) in &row.others {
        let Ok(Number(number)) = Number::deserialize(value) else {
            continue;
        };
        if OWN_KEYS.contains(&name.as_str()) {
            continue;
        }
        let metric = match name.as_str() {
            "bytes_per_second" => Scale::of("B/s").metric(name).better(Direction::Up),
            "items_per_second" => Scale::of("1/s").metric(name).better(Direction::Up),
            _ => Scale::default().metric(name),
        };
        values.push((sink.metric(&metric), number));
    }
    values
}
