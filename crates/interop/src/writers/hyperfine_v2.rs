//! What hyperfine 2 writes with `--export-json`: one object per run, and a summary of each quantity.

use super::groups::{Moments, groups, values_of};
use super::hyperfine::{exit_code, time_metric};
use super::outgoing::{Outgoing, Writer, as_json};
use crate::error::InteropError;
use fairtrial_model::{Record, Resources};
use serde_json::{Map, Value, json};

/// See the module.
pub(super) struct HyperfineV2;

/// The name of a quantity there, its unit, our metric of that name, and where it is in a resource record.
struct Quantity {
    name: &'static str,
    unit: &'static str,
    metric: &'static str,
    field: fn(&Resources) -> Option<f64>,
}

const QUANTITIES: [Quantity; 5] = [
    Quantity {
        name: "time_wall_clock",
        unit: "second",
        metric: "wall",
        field: |used| used.wall,
    },
    Quantity {
        name: "time_cpu",
        unit: "second",
        metric: "cpu",
        field: Resources::cpu,
    },
    Quantity {
        name: "time_user",
        unit: "second",
        metric: "user",
        field: |used| used.user,
    },
    Quantity {
        name: "time_system",
        unit: "second",
        metric: "sys",
        field: |used| used.sys,
    },
    Quantity {
        name: "memory_peak_resident",
        unit: "byte",
        metric: "peak_memory",
        field: |used| used.peak_memory_bytes.map(|bytes| bytes as f64),
    },
];

impl Writer for HyperfineV2 {
    fn name(&self) -> &'static str {
        "hyperfine-v2"
    }

    fn write(&self, run: &Outgoing<'_>) -> Result<String, InteropError> {
        let metric = time_metric(run)?;
        let known = QUANTITIES.iter().find(|of| of.metric == metric);
        let primary = known.unwrap_or(&QUANTITIES[0]).name;
        let groups = groups(run);
        let one_task = groups.iter().all(|group| group.task == groups[0].task);
        let results = groups.iter().map(|group| {
            let each = group.records.iter();
            let measurements = each.map(|record| measured(record, (metric, primary)));
            let measurements: Vec<Map<String, Value>> = measurements.collect();
            let mut result = json!({
                "command": group.arm.filter(|_| one_task).map_or_else(|| group.name(), str::to_owned),
                "summary": summary(&measurements),
                "measurements": measurements,
            });
            let parameters = run.parameters(group.task, group.arm);
            let parameters = parameters.iter();
            let parameters: Map<String, Value> = parameters
                .map(|(name, value)| (name.to_owned(), json!({"value": value})))
                .collect();
            if run.commands.is_some() && !parameters.is_empty() {
                result["parameters"] = Value::Object(parameters);
            }
            result
        });
        let results: Vec<Value> = results.collect();
        let started = run
            .records
            .iter()
            .filter_map(|record| record.started_at)
            .min();
        as_json(&json!({
            "schema_version": 2,
            "metadata": {
                "tool": "fairtrial",
                "start_time": started.map(|at| at.to_string()),
                "platform": { "os": std::env::consts::OS, "architecture": std::env::consts::ARCH },
            },
            "primary_metric": primary,
            "results": results,
        }))
    }
}

/// What is known of one run. The metric that was compared is told as it was compared, without a shell's start.
fn measured(record: &Record, (metric, primary): (&str, &str)) -> Map<String, Value> {
    let mut all = Map::new();
    for of in &QUANTITIES {
        let compared = (of.name == primary).then(|| values_of(record, metric));
        let value = compared.and_then(|values| values.first().copied());
        if let Some(value) = value.or_else(|| (of.field)(&record.resources)) {
            all.insert(of.name.to_owned(), json!({"value": value, "unit": of.unit}));
        }
    }
    all.insert("exit_code".to_owned(), json!(exit_code(record)));
    all
}

fn summary(measurements: &[Map<String, Value>]) -> Map<String, Value> {
    let of = |of: &Quantity| {
        let values = measurements
            .iter()
            .filter_map(|it| it.get(of.name)?["value"].as_f64());
        let found = Moments::of(values.collect())?;
        let found = json!({
            "unit": of.unit,
            "count": found.count,
            "mean": found.mean,
            "stddev": found.deviation,
            "median": found.median,
            "min": found.min,
            "max": found.max,
        });
        Some((of.name.to_owned(), found))
    };
    QUANTITIES.iter().filter_map(of).collect()
}
