//! Predictions for SWE-bench, before they are evaluated: whether there is a patch, and how large it is.

use super::agent_metrics::Numbers;
use super::swebench::RULES;
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::{Json, JsonKind};
use crate::rules::Rules;
use crate::sink::Sink;
use fairtrial_model::Outcome;
use serde::Deserialize;
use std::path::Path;

/// See the module.
pub(crate) struct SwebenchPredictions;

impl Format for SwebenchPredictions {
    fn name(&self) -> &'static str {
        "swe-bench-predictions"
    }

    fn title(&self) -> &'static str {
        "predictions for SWE-bench"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        // Lines of JSON, a list, or an object with instances for keys.
        let outline = head.outline();
        head.has(&["instance_id", "model_patch"])
            || head.has(&["[].instance_id", "[].model_patch"])
            || outline.ends_with(".model_patch") && outline.ends_with(".instance_id")
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        while json.more()? {
            match json.kind()? {
                JsonKind::Array => json.array(|json| {
                    let prediction: Prediction = json.value("prediction")?;
                    prediction.give(&path, sink);
                    Ok(())
                })?,
                _ => object(&mut json, &path, sink)?,
            }
        }
        Ok(())
    }
}

/// One prediction, or an object with a prediction under every instance.
fn object<R: std::io::Read>(
    json: &mut Json<R>,
    path: &Path,
    sink: &mut dyn Sink,
) -> Result<(), InteropError> {
    let mut own = Prediction::default();
    json.object(|key, json| {
        match key {
            "instance_id" => own.instance_id = json.value(key)?,
            "model_name_or_path" => own.model_name_or_path = json.value(key)?,
            "model_patch" => own.model_patch = json.value(key)?,
            _ if json.kind()? == JsonKind::Object => {
                let prediction: Prediction = json.value(key)?;
                if !prediction.instance_id.is_empty() {
                    prediction.give(path, sink);
                }
            }
            _ => return json.skip(),
        }
        Ok(())
    })?;
    if !own.instance_id.is_empty() {
        own.give(path, sink);
    }
    Ok(())
}

#[derive(Default, Deserialize)]
struct Prediction {
    #[serde(default)]
    instance_id: String,
    #[serde(default)]
    model_name_or_path: Option<String>,
    #[serde(default)]
    model_patch: Option<String>,
}

impl Prediction {
    fn give(self, path: &Path, sink: &mut dyn Sink) {
        let mut execution = Execution::of(path);
        execution.set("instance", self.instance_id);
        execution.set_some("model", self.model_name_or_path);
        let patch = self.model_patch.filter(|patch| !patch.trim().is_empty());
        if patch.is_none() {
            execution.fail(Outcome::Failed, "the patch is empty");
        }
        let lines = patch.map(|patch| {
            let changed = |line: &&str| {
                line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
            };
            patch.lines().filter(changed).count() as f64
        });
        Numbers {
            execution: &mut execution,
            sink,
        }
        .other("patch_lines", lines);
        sink.execution(execution);
    }
}
