//! Bencher Metric Format: `{"benchmark": {"measure": {"value": 1.0, "lower_value": …, "upper_value": …}}}`.

use super::shared::ONLY_MEAN;
use crate::error::InteropError;
use crate::execution::{Execution, Metric};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, Way, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Direction, Number};
use serde::Deserialize;
use std::collections::BTreeMap;

/// See the module.
pub(crate) struct Bmf;

const WAYS: &[Way] = &[way(Arm::None, &["benchmark"])];

const RULES: Rules = Rules::timing(WAYS, WAYS);

impl Format for Bmf {
    fn name(&self) -> &'static str {
        "bmf"
    }

    fn title(&self) -> &'static str {
        "results in Bencher Metric Format"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        // Any names, but nothing else than values three steps down.
        let own = |key: &str| matches!(key, "value" | "lower_value" | "upper_value");
        let keys: Option<Vec<&str>> = head.outline().third().map(Iterator::collect);
        keys.is_some_and(|keys| keys.contains(&"value") && keys.into_iter().all(own))
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        json.object(|benchmark, json| {
            let measures: BTreeMap<String, Measured> = json.value(benchmark)?;
            let mut execution = Execution::of(&path);
            execution.set("benchmark", benchmark);
            for (name, measured) in measures {
                let (metric, scale) = metric(&name);
                let metric = sink.metric(&metric);
                let value = scale.apply(measured.value.0);
                execution.metrics.push((metric, value));
            }
            execution.notes.push(ONLY_MEAN.to_owned());
            sink.execution(execution);
            Ok(())
        })
    }
}

#[derive(Deserialize)]
struct Measured {
    value: Number,
}

/// Bencher's own measures have fixed units and directions.
fn metric(name: &str) -> (Metric, Scale) {
    let scale = match name {
        "latency" => Scale::of("ns"),
        "throughput" => Scale::of("ops/s"),
        "build-time" => Scale::of("s"),
        "file-size" => Scale::of("B"),
        _ => Scale::default(),
    };
    let metric = match name {
        "latency" => scale.time(),
        "throughput" => scale.metric(name).better(Direction::Up).headline(),
        "build-time" | "file-size" => scale.metric(name).better(Direction::Down).headline(),
        other => scale.metric(other).headline(),
    };
    (metric, scale)
}
