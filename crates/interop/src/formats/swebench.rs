//! SWE-bench: the report of a run, the report of an instance, and predictions.
//!
//! Errors and empty patches stay in the denominator, as in the score that SWE-bench itself reports; failures of the
//! infrastructure do not count against the model, and what was not submitted is skipped.

use super::agent_metrics::Numbers;
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::Json;
use crate::rules::{Arm, Rules, way};
use crate::sink::Sink;
use fairtrial_model::Outcome;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// See the module.
pub(crate) struct Swebench;

const TASK: &[&str] = &["instance"];
pub(super) const RULES: Rules = Rules::tasks(
    &[
        way(Arm::Fields(&["model"]), TASK),
        way(Arm::Fields(&["run"]), TASK),
        way(Arm::None, TASK),
    ],
    &[],
);

impl Format for Swebench {
    fn name(&self) -> &'static str {
        "swe-bench"
    }

    fn title(&self) -> &'static str {
        "reports of SWE-bench"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["resolved_ids", "submitted_ids"]) || is_instance(head)
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        let mut report = Report::default();
        let mut instances = Vec::new();
        json.object(|key, json| {
            match key {
                "resolved_ids" => report.resolved = json.value(key)?,
                "unresolved_ids" => report.unresolved = json.value(key)?,
                "submitted_ids" => report.submitted = json.value(key)?,
                "incomplete_ids" => report.incomplete = json.value(key)?,
                "empty_patch_ids" => report.empty = json.value(key)?,
                "error_ids" => report.errors = json.value(key)?,
                "infra_failure_ids" => report.infra = json.value(key)?,
                "ambiguous_failure_ids" => report.ambiguous = json.value(key)?,
                "failure_reasons" => report.reasons = json.value(key)?,
                _ if json.kind()? == crate::json::JsonKind::Object => {
                    let instance: Instance = json.value(key)?;
                    instances.push((key.to_owned(), instance));
                }
                _ => return json.skip(),
            }
            Ok(())
        })?;
        report.give(&path, sink);
        for (id, instance) in instances {
            instance.give(&path, &id, sink);
        }
        Ok(())
    }
}

/// `{"<id>": {"patch_exists": …, "resolved": …}}`.
fn is_instance(head: &Head) -> bool {
    head.name == "report.json"
        && head.outline().ends_with(".resolved")
        && head.outline().ends_with(".patch_successfully_applied")
}

type Ids = BTreeSet<String>;

/// The report of a run: lists of instances by how they came out.
#[derive(Default)]
struct Report {
    resolved: Ids,
    unresolved: Ids,
    submitted: Ids,
    incomplete: Ids,
    empty: Ids,
    errors: Ids,
    infra: Ids,
    ambiguous: Ids,
    reasons: BTreeMap<String, serde_json::Value>,
}

impl Report {
    fn give(&self, path: &Path, sink: &mut dyn Sink) {
        // `<model>.<run>.json`; both may hold points, and the run mostly does not.
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let (model, run) = stem.rsplit_once('.').unwrap_or((&stem, ""));
        let all = [
            &self.submitted,
            &self.resolved,
            &self.unresolved,
            &self.empty,
            &self.errors,
            &self.infra,
            &self.ambiguous,
            &self.incomplete,
        ];
        let all: BTreeSet<&String> = all.into_iter().flatten().collect();
        for id in all {
            let mut execution = Execution::of(path);
            execution.set("instance", id);
            execution.set("model", model.replace("__", "/"));
            if !run.is_empty() {
                execution.set("run", run);
            }
            let reason = self.reasons.get(id);
            let reason = reason.map_or_else(String::new, |reason| {
                format!(": {}", fairtrial_model::Params::display(reason))
            });
            let mut scored = None;
            if self.resolved.contains(id) {
                scored = Some(1.0);
            } else if self.infra.contains(id) {
                execution.fail(Outcome::Infra, format!("infrastructure failure{reason}"));
            } else if self.empty.contains(id) {
                execution.fail(Outcome::Failed, "the patch is empty");
            } else if self.errors.contains(id) {
                execution.fail(Outcome::Failed, format!("error{reason}"));
            } else if self.unresolved.contains(id) || self.ambiguous.contains(id) {
                scored = Some(0.0);
            } else {
                execution.fail(Outcome::Skipped, "not submitted, or not evaluated");
            }
            Numbers {
                execution: &mut execution,
                sink,
            }
            .score(scored);
            sink.execution(execution);
        }
    }
}

#[derive(Deserialize)]
struct Instance {
    #[serde(default)]
    resolved: Option<bool>,
    #[serde(default, rename = "patch_is_None")]
    no_patch: bool,
    #[serde(default)]
    patch_successfully_applied: Option<bool>,
    #[serde(default)]
    infra_failure: bool,
    #[serde(default)]
    infra_failure_reason: Option<String>,
    #[serde(default)]
    tests_status: BTreeMap<String, TestStatus>,
}

#[derive(Deserialize)]
struct TestStatus {
    #[serde(default)]
    success: Vec<String>,
    #[serde(default)]
    failure: Vec<String>,
}

impl Instance {
    fn give(self, path: &Path, id: &str, sink: &mut dyn Sink) {
        let mut execution = Execution::of(path);
        execution.set("instance", id);
        // `<run>/<model>/<instance>/report.json`.
        let mut around = path.ancestors().skip(2).filter_map(Path::file_name);
        let model = around
            .next()
            .map(|name| name.to_string_lossy().replace("__", "/"));
        execution.set_some("model", model.filter(|_| path.components().count() > 2));
        execution.set_some("run", around.next().map(|name| name.to_string_lossy()));
        if self.infra_failure {
            let reason = self.infra_failure_reason.unwrap_or_default();
            execution.fail(Outcome::Infra, format!("infrastructure failure: {reason}"));
        } else if self.no_patch {
            execution.fail(Outcome::Failed, "the patch is empty");
        } else if self.patch_successfully_applied == Some(false) {
            execution.fail(Outcome::Failed, "the patch does not apply");
        }
        let mut numbers = Numbers {
            execution: &mut execution,
            sink,
        };
        numbers.score(self.resolved.map(|solved| f64::from(u8::from(solved))));
        for (name, tests) in &self.tests_status {
            let total = tests.success.len() + tests.failure.len();
            let share = tests.success.len() as f64 / total as f64;
            let name = name.to_lowercase();
            numbers.named_score(&name, (total > 0).then_some(share));
        }
        sink.execution(execution);
    }
}
