//! The log of OpenAI evals: a first line about the run, then events, several of which may be about one sample.

use super::agent_metrics::Numbers;
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json;
use crate::lines::Lines;
use crate::rules::{Arm, Rules, way};
use crate::sink::Sink;
use fairtrial_model::{Leaf, Outcome, Params, each_leaf};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

/// See the module.
pub(crate) struct OpenaiEvals;

const TASK: &[&str] = &["eval", "sample"];
const RULES: Rules = Rules::tasks(
    &[way(Arm::Fields(&["model"]), TASK), way(Arm::None, TASK)],
    &[],
);

impl Format for OpenaiEvals {
    fn name(&self) -> &'static str {
        "openai-evals"
    }

    fn title(&self) -> &'static str {
        "logs of OpenAI evals"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["spec.eval_name"]) || head.has(&["spec.completion_fns"])
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut lines = Lines::new(input.name(), input.reader()?);
        let mut spec = Spec::default();
        let mut samples = Samples::default();
        let mut is_over = false;
        while lines.advance()? {
            if lines.is_blank() {
                continue;
            }
            let line: Line = match json::parse(&lines.place().to_string(), lines.bytes()) {
                Err(_) if !lines.is_whole() => break,
                read => read?,
            };
            is_over |= !line.final_report.is_null();
            if let Some(found) = line.spec {
                spec = found;
            } else if let Some(id) = &line.sample_id {
                let sample = samples.of(id, &path, &spec);
                event(sample, line.kind.as_deref(), &line.data, sink);
            }
        }
        if !is_over {
            sink.note(format!(
                "{}: the run did not come to its end (no final report)",
                path.display()
            ));
        }
        for execution in samples.found {
            sink.execution(execution);
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    spec: Option<Spec>,
    #[serde(default)]
    final_report: Value,
    #[serde(default)]
    sample_id: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    data: Value,
}

#[derive(Default, Deserialize)]
struct Spec {
    #[serde(default)]
    completion_fns: Vec<String>,
    #[serde(default)]
    eval_name: Option<String>,
    #[serde(default)]
    run_id: Option<String>,
}

/// Samples in the order of their first events.
#[derive(Default)]
struct Samples {
    found: Vec<Execution>,
    by_id: HashMap<String, usize>,
}

impl Samples {
    fn of(&mut self, id: &str, path: &Path, spec: &Spec) -> &mut Execution {
        let next = self.found.len();
        let place = *self.by_id.entry(id.to_owned()).or_insert(next);
        if place == next {
            let mut execution = Execution::of(path);
            execution.set_some("eval", spec.eval_name.as_deref());
            execution.set("sample", id);
            execution.set_some("run", spec.run_id.as_deref());
            let model = spec.completion_fns.join(", ");
            execution.set_some("model", Some(model).filter(|model| !model.is_empty()));
            self.found.push(execution);
        }
        &mut self.found[place]
    }
}

fn event(sample: &mut Execution, kind: Option<&str>, data: &Value, sink: &mut dyn Sink) {
    match kind {
        Some("match") => {
            let correct = data["correct"].as_bool();
            let correct = correct.map(|correct| f64::from(u8::from(correct)));
            let mut numbers = Numbers {
                execution: sample,
                sink,
            };
            numbers.score(correct);
        }
        Some("metrics") => {
            let empty = Map::new();
            let table = data.as_object().unwrap_or(&empty);
            let has_score = !sample.metrics.is_empty();
            let mut is_first = !has_score;
            let mut numbers = Numbers {
                execution: sample,
                sink,
            };
            each_leaf("", table, &mut |name, leaf| {
                if let Leaf::Number(value) = leaf {
                    if std::mem::take(&mut is_first) {
                        numbers.score(Some(value));
                    }
                    numbers.named_score(&name, Some(value));
                }
            });
        }
        Some("error") => {
            let message = data.get("message").map(Params::display);
            sample.fail(
                Outcome::Failed,
                message.unwrap_or_else(|| "an error".to_owned()),
            );
        }
        _ => {}
    }
}
