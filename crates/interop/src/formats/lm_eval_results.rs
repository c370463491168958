//! lm-evaluation-harness: `results_<time>.json`, one number per task and metric.

use super::agent_metrics::Numbers;
use super::shared::ONLY_MEAN;
use crate::error::InteropError;
use crate::execution::{Execution, FactKind};
use crate::folder::entries;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::sink::Sink;
use fairtrial_model::Number;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

/// See the module.
pub(crate) struct LmEvalResults;

const RULES: Rules = Rules::tasks(
    &[
        way(Arm::Fields(&["model"]), &["task"]),
        way(Arm::None, &["task"]),
    ],
    &[],
);

impl Format for LmEvalResults {
    fn name(&self) -> &'static str {
        "lm-eval-results"
    }

    fn title(&self) -> &'static str {
        "results of lm-evaluation-harness"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["results", "n-shot"]) || head.has(&["results", "configs", "versions"])
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        let mut results: Map<String, Value> = Map::new();
        let mut model = None;
        json.object(|key, json| {
            match key {
                "results" => results = json.value(key)?,
                "model_name" => model = json.value(key)?,
                "git_hash" => {
                    let hash: Value = json.value(key)?;
                    super::shared::fact(sink, FactKind::Tool, "lm-eval", &hash);
                }
                "config" => {
                    let config: Config = json.value(key)?;
                    model = model.take().or(config.model);
                }
                _ => return json.skip(),
            }
            Ok(())
        })?;
        let model: Option<String> = model;
        for (task, values) in &results {
            let mut execution = Execution::of(&path);
            execution.set("task", task);
            execution.set_some("model", model.as_deref());
            let mut numbers = Numbers {
                execution: &mut execution,
                sink,
            };
            let mut is_first = true;
            for (name, value) in values.as_object().into_iter().flatten() {
                let Ok(Number(value)) = Number::deserialize(value) else {
                    continue;
                };
                if name == "sample_len" || name.contains("_stderr") {
                    continue;
                }
                // `acc,none` is plain `acc`.
                let name = name.strip_suffix(",none").unwrap_or(name);
                if std::mem::take(&mut is_first) {
                    numbers.score(Some(value));
                }
                numbers.named_score(name, Some(value));
            }
            execution.notes.push(ONLY_MEAN.to_owned());
            sink.execution(execution);
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    model: Option<String>,
}

/// The model of samples, which only the results file beside them names; else the folder's name, which is made of it.
pub(super) fn model_near(samples: &Path) -> Result<Option<String>, InteropError> {
    let Some(folder) = samples.parent().filter(|folder| folder.is_dir()) else {
        return Ok(None);
    };
    for (path, _) in entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with("results_") || !name.ends_with(".json") {
            continue;
        }
        let input = Input::open(&path)?;
        let mut model: Option<String> = None;
        Json::new(input.name(), input.reader()?).object(|key, json| {
            match key {
                "model_name" => model = json.value(key)?,
                _ => return json.skip(),
            }
            Ok(())
        })?;
        if model.is_some() {
            return Ok(model);
        }
    }
    let folder = folder.file_name().map(|name| name.to_string_lossy());
    Ok(folder.map(|name| name.replace("__", "/")))
}
