//! What hyperfine writes with `--export-json`: the times of each task and arm, for the scripts that read it.
//!
//! A trial that failed has the time it ran for and its exit code, as hyperfine has with `--ignore-failure`, and no code
//! (`null`) where a signal ended it. One whose time nobody measured is left out, and that is said.

use super::groups::{Moments, groups, values_of};
use super::outgoing::{Outgoing, Writer, as_json};
use crate::error::InteropError;
use fairtrial_model::{Cause, Exit, Outcome, Record, Resources};
use serde_json::{Value, json};

/// See the module.
pub(super) struct Hyperfine;

/// What a trial that ended with exit code 0 and failed all the same is given.
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
                let values = times_of(record, metric);
                let code = exit_code(record);
                codes.extend(values.iter().map(|_| code));
                times.extend(values);
            }
            if times.is_empty() {
                continue;
            }
            let moments = Moments::of(times.clone());
            let mut result = json!({
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
            });
            let parameters = run.parameters(group.task, group.arm);
            if !parameters.is_empty() {
                result["parameters"] = json!(parameters);
            }
            results.push(result);
        }
        as_json(&json!({"results": Value::Array(results)}))
    }

    fn left_out(&self, run: &Outgoing<'_>) -> Result<usize, InteropError> {
        let metric = time_metric(run)?;
        let without = |record: &&Record| times_of(record, metric).is_empty();
        Ok(run.records.iter().filter(without).count())
    }
}

/// The times of a trial: what was compared, else how long it ran where that is what was compared.
fn times_of(record: &Record, metric: &str) -> Vec<f64> {
    let values = values_of(record, metric);
    let is_time = matches!(metric, "time" | "wall");
    if values.is_empty() && is_time {
        return record.resources.wall.into_iter().collect();
    }
    values
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

/// The exit code; absent where a signal ended it, as hyperfine has it.
pub(super) fn exit_code(record: &Record) -> Option<i32> {
    match (&record.outcome, &record.cause, record.exit) {
        (Outcome::Ok, _, Some(Exit::Code(code))) => Some(code),
        (Outcome::Ok, ..) => Some(0),
        (_, Some(Cause::ExitCode { code }), _) => Some(*code),
        (_, _, Some(Exit::Code(0))) => Some(FAILED),
        (_, _, Some(Exit::Code(code))) => Some(code),
        (_, _, Some(Exit::Signal(_)) | None) => None,
    }
}
