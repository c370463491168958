//! hyperfine's JSON, both shapes: v1 (1.x) has lists of times, v2 (2.0) one object per measurement.
//!
//! Every timing is a process of its own. A command that ended with another code than 0 was timed only because of
//! `--ignore-failure`: it is a failure here.

use super::shared::ONLY_MEAN;
use crate::error::InteropError;
use crate::execution::{Execution, Fact, FactKind, Metric, MetricId};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Direction, Number, Outcome, Params};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// See the module.
pub(crate) struct Hyperfine;

/// Commands of one file are the arms, by the parameter that differs where one does; of two files, they are the tasks.
pub(super) const COMMANDS: Rules = Rules::timing(
    &[
        way(Arm::Differing("parameter."), &["parameter.*"]),
        way(Arm::Fields(&["command"]), &[]),
    ],
    &[way(Arm::None, &["command"])],
);

impl Format for Hyperfine {
    fn name(&self) -> &'static str {
        "hyperfine"
    }

    fn title(&self) -> &'static str {
        "results of hyperfine"
    }

    fn rules(&self) -> Rules {
        COMMANDS
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["results[].command", "results[].times"])
            || head.has(&[
                "schema_version",
                "results[].command",
                "results[].measurements",
            ])
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        json.object(|key, json| match key {
            "metadata" => {
                for (name, value) in json.value::<Params>("metadata")?.iter() {
                    if name == "hyperfine_version" {
                        sink.fact(Fact {
                            kind: FactKind::Tool,
                            name: "hyperfine".to_owned(),
                            value: Params::display(value),
                        });
                    }
                }
                Ok(())
            }
            "results" => json.array(|json| {
                json.value::<Command>("results")?.give(&path, sink);
                Ok(())
            }),
            _ => json.skip(),
        })
    }
}

/// One command of either shape.
#[derive(Deserialize)]
struct Command {
    command: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    environment: Map<String, Value>,
    #[serde(default)]
    times: Vec<Number>,
    #[serde(default)]
    memory_usage_byte: Vec<Number>,
    #[serde(default)]
    exit_codes: Vec<Option<i32>>,
    #[serde(default)]
    measurements: Vec<Measurement>,
    #[serde(default)]
    mean: Option<Number>,
}

#[derive(Deserialize)]
struct Measurement {
    #[serde(default)]
    exit_code: Option<i32>,
    #[serde(flatten)]
    values: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Measured {
    value: Number,
    #[serde(default)]
    unit: Option<String>,
}

impl Command {
    fn give(self, path: &Path, sink: &mut dyn Sink) {
        if self.times.is_empty() && self.measurements.is_empty() {
            // Exported without its timings: the mean is all there is.
            if let Some(mean) = self.mean {
                let mut execution = self.execution(path);
                let time = sink.metric(&Scale::of("s").time());
                execution.metrics.push((time, mean.0));
                execution.notes.push(ONLY_MEAN.to_owned());
                sink.execution(execution);
            }
            return;
        }
        for (place, time) in self.times.iter().enumerate() {
            let mut execution = self.execution(path);
            execution
                .metrics
                .push((sink.metric(&Scale::of("s").time()), time.0));
            if let Some(bytes) = self.memory_usage_byte.get(place) {
                let memory = Scale::of("B").metric("memory").better(Direction::Down);
                execution.metrics.push((sink.metric(&memory), bytes.0));
            }
            if let Some(code) = self.exit_codes.get(place) {
                ended(&mut execution, *code);
            }
            sink.execution(execution);
        }
        for measurement in &self.measurements {
            let mut execution = self.execution(path);
            for (name, value) in &measurement.values {
                if let Ok(measured) = Measured::deserialize(value) {
                    let given = value_of(name, &measured, sink);
                    execution.metrics.push(given);
                }
            }
            ended(&mut execution, measurement.exit_code);
            sink.execution(execution);
        }
    }

    fn execution(&self, path: &Path) -> Execution {
        let mut execution = Execution::of(path);
        // A name (`-n`) is what the user calls the command; v1 keeps nothing else.
        execution.set("command", self.name.as_ref().unwrap_or(&self.command));
        if self.name.is_some() {
            execution.set("command_line", &self.command);
        }
        for (name, value) in &self.parameters {
            // v2 puts the value into an object of its own.
            let value = value.get("value").unwrap_or(value);
            execution.set(&format!("parameter.{name}"), Params::display(value));
        }
        for (name, value) in &self.environment {
            execution.set(&format!("environment.{name}"), Params::display(value));
        }
        execution
    }
}

/// No code is what a process has that was ended by a signal.
fn ended(execution: &mut Execution, code: Option<i32>) {
    match code {
        Some(code) => execution.exit(code),
        None => execution.fail(Outcome::Failed, "ended by a signal"),
    }
}

fn value_of(name: &str, measured: &Measured, sink: &mut dyn Sink) -> (MetricId, f64) {
    let scale = Scale::of(measured.unit.as_deref().unwrap_or_default());
    let metric: Metric = match name {
        "time_wall_clock" => scale.time(),
        "memory_peak_resident" => scale.metric("memory").better(Direction::Down),
        "time_cpu" => scale.metric("cpu").better(Direction::Down),
        "time_user" => scale.metric("user").better(Direction::Down),
        "time_system" => scale.metric("system").better(Direction::Down),
        other => scale.metric(other),
    };
    (sink.metric(&metric), scale.apply(measured.value.0))
}
