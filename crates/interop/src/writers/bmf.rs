//! Bencher's Metric Format: the mean of each metric, with a standard deviation to either side.

use super::groups::groups;
use super::outgoing::{Outgoing, Writer, as_json};
use crate::error::InteropError;
use serde_json::{Map, Value, json};

/// See the module.
pub(super) struct Bmf;

impl Writer for Bmf {
    fn name(&self) -> &'static str {
        "bmf"
    }

    fn write(&self, run: &Outgoing<'_>) -> Result<String, InteropError> {
        let mut benchmarks = Map::new();
        for group in groups(run) {
            let mut measures = Map::new();
            for metric in group.metrics() {
                let Some(moments) = group.moments(metric) else {
                    continue;
                };
                let mut measure = json!({"value": moments.mean});
                if let Some(deviation) = moments.deviation {
                    measure["lower_value"] = json!(moments.mean - deviation);
                    measure["upper_value"] = json!(moments.mean + deviation);
                }
                measures.insert(metric.to_owned(), measure);
            }
            benchmarks.insert(group.name(), Value::Object(measures));
        }
        as_json(&Value::Object(benchmarks))
    }
}
