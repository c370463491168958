//! JMH's JSON (`-rf json`): forks are processes, iterations stand inside them.

use super::shared::{ONLY_MEAN, fact};
use crate::error::InteropError;
use crate::execution::{Execution, FactKind, Metric, Samples};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Direction, Number, Params};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// See the module.
pub(crate) struct Jmh;

const RULES: Rules = Rules::timing(
    &[
        way(Arm::Differing("param."), &["benchmark", "?mode", "param.*"]),
        way(Arm::None, &["benchmark", "?mode", "param.*"]),
    ],
    &[way(Arm::None, &["benchmark", "?mode", "param.*"])],
);

impl Format for Jmh {
    fn name(&self) -> &'static str {
        "jmh"
    }

    fn title(&self) -> &'static str {
        "results of JMH"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["[].benchmark", "[].mode", "[].primaryMetric"])
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        json.array(|json| {
            let benchmark: Benchmark = json.value("benchmark")?;
            fact(sink, FactKind::Machine, "jdk", &benchmark.jdk_version);
            fact(sink, FactKind::Machine, "vm", &benchmark.vm_name);
            benchmark.give(&path, sink);
            Ok(())
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Benchmark {
    benchmark: String,
    mode: String,
    #[serde(default)]
    jdk_version: Value,
    #[serde(default)]
    vm_name: Value,
    #[serde(default)]
    params: Option<Map<String, Value>>,
    primary_metric: Measured,
    #[serde(default)]
    secondary_metrics: BTreeMap<String, Measured>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Measured {
    score: Number,
    #[serde(default)]
    score_unit: String,
    #[serde(default)]
    raw_data: Vec<Vec<Number>>,
    /// For each fork and iteration, values with how often they came.
    #[serde(default)]
    raw_data_histogram: Vec<Vec<Vec<(Number, u64)>>>,
}

impl Measured {
    /// The values of each fork.
    fn forks(&self) -> Vec<Vec<f64>> {
        if !self.raw_data.is_empty() {
            let values = |fork: &Vec<Number>| fork.iter().map(|value| value.0).collect();
            return self.raw_data.iter().map(values).collect();
        }
        let mean = |counted: &Vec<(Number, u64)>| {
            let total: f64 = counted.iter().map(|(_, count)| *count as f64).sum();
            let sum: f64 = counted
                .iter()
                .map(|(value, count)| value.0 * *count as f64)
                .sum();
            sum / total
        };
        let forks = self.raw_data_histogram.iter();
        forks.map(|fork| fork.iter().map(mean).collect()).collect()
    }
}

impl Benchmark {
    fn give(&self, path: &Path, sink: &mut dyn Sink) {
        let primary = self.metric(sink, None, &self.primary_metric);
        let forks = self.primary_metric.forks();
        let secondary: Vec<_> = self
            .secondary_metrics
            .iter()
            .map(|(name, measured)| {
                let metric = self.metric(sink, Some(name), measured);
                (metric, measured)
            })
            .collect();
        if forks.is_empty() {
            let (metric, scale) = &primary;
            let mut execution = self.execution(path);
            let score = scale.apply(self.primary_metric.score.0);
            execution.metrics.push((sink.metric(metric), score));
            execution.notes.push(ONLY_MEAN.to_owned());
            sink.execution(execution);
            return;
        }
        for (fork, values) in forks.iter().enumerate() {
            let mut execution = self.execution(path);
            let mut add = |(metric, scale): &(Metric, Scale), values: &[f64]| {
                let values = values.iter().map(|value| scale.apply(*value)).collect();
                let metric = sink.metric(metric);
                execution.samples.push(Samples { metric, values });
            };
            add(&primary, values);
            for (metric, measured) in &secondary {
                if let Some(values) = measured.forks().get(fork) {
                    add(metric, values);
                }
            }
            sink.execution(execution);
        }
    }

    fn execution(&self, path: &Path) -> Execution {
        let mut execution = Execution::of(path);
        execution.set("benchmark", &self.benchmark);
        execution.set("mode", &self.mode);
        for (name, value) in self.params.iter().flatten() {
            execution.set(&format!("param.{name}"), Params::display(value));
        }
        execution
    }

    /// A metric and its scale. What is counted per second is better when there is more of it.
    fn metric(
        &self,
        sink: &mut dyn Sink,
        secondary: Option<&str>,
        measured: &Measured,
    ) -> (Metric, Scale) {
        let scale = Scale::of(&measured.score_unit);
        let metric = match secondary {
            Some(name) => scale.metric(name.trim_start_matches('·')),
            None if self.mode == "thrpt" => {
                let throughput = scale.metric("throughput");
                throughput.better(Direction::Up).headline()
            }
            None => scale.time(),
        };
        sink.metric(&metric);
        (metric, scale)
    }
}
