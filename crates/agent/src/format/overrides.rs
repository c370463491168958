//! `overrides.json`: changes to a task for some rollouts. They are applied to the task that was read, never to its
//! folder, so that rollouts with other overrides, or none, see nothing of them.
//!
//! Precedence, strongest first: `env` of the spec, `environment_variables` here, the task itself; `inject_files` over
//! `overlay_repo_files` over the task's own files; removals come before everything that is laid over.

use super::prepared::{Evaluation, MetaRepo, read_json};
use crate::error::{AgentError, At};
use crate::findings::Findings;
use crate::paths::is_inside;
use crate::task::{AgentTask, Rubric, TestScript};
use crate::task_file::FileBody;
use fairtrial_text::glob::Glob;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The keys there are.
const KEYS: [&str; 12] = [
    "prompt",
    "lm_instructions",
    "overlay_files",
    "overlay_repo_files",
    "remove_repo_paths",
    "inject_files",
    "environment_variables",
    "evaluation",
    "rubrics",
    "test_scripts",
    "repo",
    "notes",
];

/// What an overrides file says.
#[derive(Default)]
pub struct Overrides {
    instructions: Option<String>,
    inputs: BTreeMap<String, FileBody>,
    files: BTreeMap<String, FileBody>,
    injected: BTreeMap<String, FileBody>,
    removed: Vec<String>,
    env: BTreeMap<String, String>,
    rubrics: Option<Vec<Rubric>>,
    tests: Option<Vec<TestScript>>,
    script: Option<TestScript>,
    agent_may_change: Option<Vec<String>>,
    agent_may_not_change: Option<Vec<String>>,
    repo: Option<MetaRepo>,
}

impl Overrides {
    /// Reads a file. An unknown key is an error: an override that does nothing would be taken for one that does.
    pub fn read(path: &Path, findings: &mut Findings) -> Result<Self, AgentError> {
        let values: Map<String, Value> = read_json(path)?;
        let bad = |message: String| AgentError::Content {
            path: path.to_owned(),
            message,
        };
        for key in values.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            findings.error(format!(
                "{}: unknown key `{key}`; there are {}",
                path.display(),
                KEYS.join(", ")
            ));
        }
        let mut found = Self::default();
        let folder = path.parent().unwrap_or(Path::new("."));
        for (key, value) in values {
            let wrong = |what: &str| bad(format!("`{key}` must be {what}"));
            let shape = |error: serde_json::Error| bad(format!("`{key}`: {error}"));
            match key.as_str() {
                "prompt" | "lm_instructions" => {
                    let text = value.as_str().ok_or_else(|| wrong("a text"))?;
                    // `prompt` is the newer name and wins.
                    if key == "prompt" || found.instructions.is_none() {
                        found.instructions = Some(text.to_owned());
                    }
                }
                "overlay_files" => found.inputs = texts(&value).ok_or_else(|| wrong(FILES))?,
                "overlay_repo_files" => found.files = texts(&value).ok_or_else(|| wrong(FILES))?,
                "inject_files" => {
                    found.injected = injected(&value, folder)?.ok_or_else(|| wrong(INJECTED))?;
                }
                "remove_repo_paths" => {
                    found.removed = serde_json::from_value(value).map_err(shape)?;
                }
                "environment_variables" => {
                    found.env = variables(&value).ok_or_else(|| wrong("a table of texts"))?;
                }
                "evaluation" => {
                    let all: Evaluation = serde_json::from_value(value).map_err(shape)?;
                    found.rubrics = all.rubrics.or(found.rubrics);
                    found.tests = all.test_scripts.or(found.tests);
                    found.script = all.script;
                    found.agent_may_change = all.agent_may_change;
                    found.agent_may_not_change = all.agent_may_not_change;
                }
                "rubrics" => found.rubrics = Some(serde_json::from_value(value).map_err(shape)?),
                "test_scripts" => found.tests = Some(serde_json::from_value(value).map_err(shape)?),
                "repo" => found.repo = Some(serde_json::from_value(value).map_err(shape)?),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Changes a task.
    pub fn apply(self, task: &mut AgentTask) {
        if let Some(text) = self.instructions {
            task.instructions = text;
        }
        if let Some(repo) = self.repo {
            task.repo = repo.over(task.repo.take());
        }
        for pattern in &self.removed {
            let pattern = Glob::path(pattern);
            task.files.retain(|path, _| !pattern.matches(path));
        }
        task.removed.extend(self.removed);
        task.inputs.extend(self.inputs);
        task.files.extend(self.files);
        task.files.extend(self.injected);
        task.env.extend(self.env);
        task.rubrics = self.rubrics.unwrap_or(std::mem::take(&mut task.rubrics));
        task.tests = self.tests.unwrap_or(std::mem::take(&mut task.tests));
        if let Some(patterns) = self.agent_may_change {
            task.agent_may_change = patterns;
        }
        if let Some(patterns) = self.agent_may_not_change {
            task.agent_may_not_change = patterns;
        }
        if self.script.is_some() {
            task.evaluation_script = self.script;
        }
    }
}

const FILES: &str = "a table of file texts by path, the paths inside the workspace";
const INJECTED: &str = "a list of {\"path\": ..., \"content\": ...} or {\"path\": ..., \"source\": FILE}, the paths inside the workspace";

fn texts(value: &Value) -> Option<BTreeMap<String, FileBody>> {
    let each = |(path, text): (&String, &Value)| {
        let text = text.as_str()?;
        is_inside(path).then(|| (path.clone(), FileBody::text(text)))
    };
    value.as_object()?.iter().map(each).collect()
}

/// Files to add: a text, or a file beside the overrides.
fn injected(
    value: &Value,
    folder: &Path,
) -> Result<Option<BTreeMap<String, FileBody>>, AgentError> {
    let mut files = BTreeMap::new();
    let Some(list) = value.as_array() else {
        return Ok(None);
    };
    for item in list {
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        let Some(path) = text("path").filter(|path| is_inside(path)) else {
            return Ok(None);
        };
        let mut body = match (text("content"), text("source")) {
            (Some(content), None) => FileBody::text(content),
            (None, Some(source)) => {
                let source = folder.join(source);
                FileBody::new(fs::read(&source).at("read", &source)?, false)
            }
            _ => return Ok(None),
        };
        body.executable = item
            .get("executable")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        files.insert(path.to_owned(), body);
    }
    Ok(Some(files))
}

fn variables(value: &Value) -> Option<BTreeMap<String, String>> {
    let each = |(name, value): (&String, &Value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return None,
        };
        let plain = !name.is_empty() && !name.contains(['=', '\0']);
        plain.then(|| (name.clone(), text))
    };
    value.as_object()?.iter().map(each).collect()
}
