//! lm-evaluation-harness: `samples_<task>_<time>.jsonl` with one line per document and filter.
//!
//! The lines of one document are one execution: a filter gives further numbers about the same answer.

use super::agent_metrics::Numbers;
use super::lm_eval_results::model_near;
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::lines::Lines;
use crate::rules::{Arm, Rules, way};
use crate::sink::Sink;
use fairtrial_model::{Number, Params};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

/// See the module.
pub(crate) struct LmEval;

const RULES: Rules = Rules::tasks(
    &[
        way(Arm::Fields(&["model"]), &["task", "doc"]),
        way(Arm::None, &["task", "doc"]),
    ],
    &[],
);
/// Keys of a line that hold no metric and may be very long.
const LONG: [&str; 8] = [
    "doc",
    "arguments",
    "resps",
    "filtered_resps",
    "target",
    "doc_hash",
    "prompt_hash",
    "target_hash",
];

impl Format for LmEval {
    fn name(&self) -> &'static str {
        "lm-eval"
    }

    fn title(&self) -> &'static str {
        "samples of lm-evaluation-harness"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["doc_id", "doc", "resps"])
            || head.has(&["doc_id", "doc", "arguments"])
            || head.has(&["doc_id", "filtered_resps"])
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let name = input.name();
        let task = task_in(&path);
        let model = model_near(&path)?;
        let mut found: Vec<Execution> = Vec::new();
        let mut by_doc: HashMap<String, usize> = HashMap::new();
        let mut lines = Lines::new(name, input.reader()?);
        while lines.advance()? {
            if lines.is_blank() {
                continue;
            }
            let line = match Line::read(&lines) {
                // A run that was killed while it wrote.
                Err(_) if !lines.is_whole() => {
                    sink.note(format!("{}: the line is cut off", lines.place()));
                    break;
                }
                read => read?,
            };
            let doc = Params::display(&line.doc_id);
            let place = *by_doc.entry(doc.clone()).or_insert(found.len());
            if place == found.len() {
                let mut execution = Execution::of(&path);
                execution.set_some("task", task.as_deref());
                execution.set("doc", doc);
                execution.set_some("model", model.as_deref());
                found.push(execution);
            }
            line.give(&mut found[place], sink);
        }
        for execution in found {
            sink.execution(execution);
        }
        Ok(())
    }
}

/// What is kept of a line.
#[derive(Default)]
struct Line {
    doc_id: Value,
    filter: Option<String>,
    metrics: Vec<String>,
    values: Map<String, Value>,
}

impl Line {
    fn read<R: std::io::Read>(lines: &Lines<R>) -> Result<Self, InteropError> {
        let mut line = Self::default();
        let mut json = Json::new(lines.place().to_string(), lines.bytes());
        json.object(|key, json| {
            match key {
                "doc_id" => line.doc_id = json.value(key)?,
                "filter" => line.filter = json.value(key)?,
                "metrics" => line.metrics = json.value(key)?,
                key if LONG.contains(&key) => return json.skip(),
                key => drop(line.values.insert(key.to_owned(), json.value(key)?)),
            }
            Ok(())
        })?;
        if line.doc_id.is_null() {
            return Err(lines.wrong("the line has no `doc_id`"));
        }
        Ok(line)
    }

    fn give(self, execution: &mut Execution, sink: &mut dyn Sink) {
        let filter = self.filter.filter(|filter| filter != "none");
        let is_first = execution.metrics.is_empty();
        let mut numbers = Numbers { execution, sink };
        let mut is_score = is_first;
        for (name, value) in &self.values {
            // Older files do not list their metrics: every number is one.
            let listed = self.metrics.is_empty() || self.metrics.contains(name);
            let value = match value {
                Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
                value => Number::deserialize(value).ok().map(|number| number.0),
            };
            let Some(value) = value.filter(|_| listed) else {
                continue;
            };
            if std::mem::take(&mut is_score) {
                numbers.score(Some(value));
            }
            let name = match &filter {
                Some(filter) => format!("{name},{filter}"),
                None => name.clone(),
            };
            numbers.named_score(&name, Some(value));
        }
    }
}

/// The task in `samples_<task>_<time>.jsonl`.
fn task_in(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_string_lossy();
    let stem = stem.strip_suffix(".jsonl").unwrap_or(&stem);
    let rest = stem.strip_prefix("samples_")?;
    let (task, time) = rest.rsplit_once('_').unwrap_or((rest, ""));
    let is_time = time.starts_with(|c: char| c.is_ascii_digit());
    Some(if is_time { task } else { rest }.to_owned())
}
