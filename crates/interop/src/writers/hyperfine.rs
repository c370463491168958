//! What hyperfine writes with `--export-json`: the times of each task and arm, for the scripts that read it.

use super::groups::{groups, values_of};
use super::outgoing::{Outgoing, Writer, as_json};
use crate::error::InteropError;
use fairtrial_model::{Cause, Exit, Outcome, Record, Resources};
use serde_json::{Value, json};

/// See the module.
pub(super) struct Hyperfine;

/// What a failed run that has no exit code is given.
const FAILED: i32 = 1;

impl Writer for Hyperfine {
    fn name(&self) -> &'static str {
        "hyperfine"
    }

    fn write(&self, run: &Outgoing<'_>) -> Result<String, InteropError> {
        let metric = time_metric(run)?;
        let mut results = Vec::new();
        let groups = groups(run);
        // Where all is one task, arms are the commands.
        let one_task = groups.iter().all(|group| group.task == groups[0].task);
        for group in groups {
            let mut times = Vec::new();
            let mut codes = Vec::new();
            for record in &group.records {
                let values = values_of(record, metric);
                let code = exit_code(record);
                // A failed trial has no time; the form has no other place for its exit code.
                let values = if values.is_empty() { vec![0.0] } else { values };
                codes.extend(values.iter().map(|_| code));
                times.extend(values);
            }
            let moments = group.moments(metric);
            let mut parameters = json!({"task": group.task});
            if let Some(arm) = group.arm {
                parameters["arm"] = json!(arm);
            }
            results.push(json!({
                "command": group.arm.filter(|_| one_task).map_or_else(|| group.name(), str::to_owned),
                "mean": moments.as_ref().map(|moments| moments.mean),
                "stddev": moments.as_ref().and_then(|moments| moments.deviation),
                "median": moments.as_ref().map(|moments| moments.median),
                "user": mean_of(&group.records, |used| used.user),
                "system": mean_of(&group.records, |used| used.sys),
                "min": moments.as_ref().map(|moments| moments.min),
                "max": moments.as_ref().map(|moments| moments.max),
                "times": times,
                "exit_codes": codes,
                "parameters": parameters,
            }));
        }
        as_json(&json!({"results": Value::Array(results)}))
    }
}

/// The metric whose values are the times.
pub(super) fn time_metric<'a>(run: &'a Outgoing<'_>) -> Result<&'a str, InteropError> {
    let there = |name: &str| run.records.iter().any(|it| it.metrics.contains_key(name));
    let metric = if there("time") {
        Some("time")
    } else {
        run.primary()
    };
    metric.ok_or_else(|| InteropError::Unknown("no trial has a number to export".to_owned()))
}

/// The mean of a resource over the trials that ended well; 0 where nobody measured it, as the form has no other way to say it.
fn mean_of(records: &[&Record], field: fn(&Resources) -> Option<f64>) -> f64 {
    let ok = records
        .iter()
        .filter(|record| record.outcome == Outcome::Ok);
    let known: Vec<f64> = ok.filter_map(|record| field(&record.resources)).collect();
    known.iter().sum::<f64>() / known.len().max(1) as f64
}

pub(super) fn exit_code(record: &Record) -> i32 {
    match (&record.outcome, &record.cause) {
        (Outcome::Ok, _) => match record.exit {
            Some(Exit::Code(code)) => code,
            _ => 0,
        },
        (_, Some(Cause::ExitCode { code })) => *code,
        _ => FAILED,
    }
}
