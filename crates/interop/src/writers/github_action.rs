//! What github-action-benchmark takes as a custom tool: one value for each benchmark and metric.

use super::groups::groups;
use super::outgoing::{Outgoing, Writer, as_json};
use crate::error::InteropError;
use serde_json::{Value, json};

/// See the module.
pub(super) struct GithubAction;

impl Writer for GithubAction {
    fn name(&self) -> &'static str {
        "github-action-benchmark"
    }

    fn write(&self, run: &Outgoing<'_>) -> Result<String, InteropError> {
        let mut entries = Vec::new();
        for group in groups(run) {
            let metrics = group.metrics();
            for metric in &metrics {
                let Some(moments) = group.moments(metric) else {
                    continue;
                };
                // Charts go by the name alone, so that a metric must stand in it where there are several.
                let name = match metrics.len() {
                    1 => group.name(),
                    _ => format!("{} · {metric}", group.name()),
                };
                let mut entry = json!({
                    "name": name,
                    "unit": run.unit(metric).unwrap_or(metric),
                    "value": moments.mean,
                    "extra": format!("{} values", moments.count),
                });
                if let Some(deviation) = moments.deviation {
                    entry["range"] = json!(format!("± {deviation}"));
                }
                entries.push(entry);
            }
        }
        as_json(&Value::Array(entries))
    }
}
