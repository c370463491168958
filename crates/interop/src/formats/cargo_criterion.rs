//! The messages of `cargo criterion --message-format=json`: one object per line, the stable form of criterion's results.

use super::shared::per_iteration;
use crate::error::InteropError;
use crate::execution::{Execution, Samples};
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json;
use crate::lines::Lines;
use crate::rules::{Arm, Rules, way};
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::Number;
use serde::Deserialize;

/// See the module.
pub(crate) struct CargoCriterion;

const RULES: Rules = Rules::timing(
    &[way(Arm::None, &["benchmark"])],
    &[way(Arm::None, &["benchmark"])],
);

impl Format for CargoCriterion {
    fn name(&self) -> &'static str {
        "cargo-criterion"
    }

    fn title(&self) -> &'static str {
        "messages of cargo-criterion"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        let reasons = ["benchmark-complete", "group-complete"];
        let mut lines = head.lines().filter(|line| line.starts_with('{'));
        lines.any(|line| {
            line.contains("\"reason\"") && reasons.iter().any(|reason| line.contains(reason))
        })
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut lines = Lines::new(input.name(), input.reader()?);
        while lines.advance()? {
            // Cargo's own words stand between the messages.
            if !lines.bytes().starts_with(b"{") {
                continue;
            }
            let place = lines.place().to_string();
            let message: Message = match json::parse(&place, lines.bytes()) {
                Err(_) if !lines.is_whole() => {
                    return Err(InteropError::Cut {
                        place: lines.place(),
                    });
                }
                read => read?,
            };
            if message.reason != "benchmark-complete" {
                continue;
            }
            let scale = Scale::of(&message.unit);
            let mut execution = Execution::of(&path);
            execution.set("benchmark", message.id);
            let values = per_iteration(&scale, &message.measured_values, &message.iteration_count);
            execution.samples.push(Samples {
                metric: sink.metric(&scale.time()),
                values: values.map_err(|wrong| lines.wrong(wrong))?,
            });
            sink.execution(execution);
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    iteration_count: Vec<Number>,
    #[serde(default)]
    measured_values: Vec<Number>,
    #[serde(default)]
    unit: String,
}
