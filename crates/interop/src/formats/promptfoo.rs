//! promptfoo's JSON export (and JSONL): a row for every test, prompt and provider.
//!
//! Repeats are further rows of the same test, prompt and provider. A row whose provider broke has an error and failed; a
//! row whose assertions failed has its score.

use super::agent_metrics::{Numbers, Tokens};
use crate::error::InteropError;
use crate::execution::Execution;
use crate::format::Format;
use crate::head::Head;
use crate::input::Input;
use crate::json::{Json, JsonKind};
use crate::rules::{Arm, Rules, way};
use crate::sink::Sink;
use fairtrial_model::{Number, Outcome, Params};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// See the module.
pub(crate) struct Promptfoo;

const RULES: Rules = Rules::tasks(
    &[
        way(Arm::Fields(&["provider"]), &["?prompt", "test"]),
        way(Arm::Fields(&["prompt"]), &["test"]),
        way(Arm::None, &["test"]),
    ],
    &[],
);
/// How promptfoo marks a row whose provider, and not whose answer, failed.
const BROKEN: u64 = 2;

impl Format for Promptfoo {
    fn name(&self) -> &'static str {
        "promptfoo"
    }

    fn title(&self) -> &'static str {
        "results of promptfoo"
    }

    fn rules(&self) -> Rules {
        RULES
    }

    fn knows_file(&self, head: &Head) -> bool {
        head.has(&["evalId", "results"])
            || head.has(&["results.results", "results.stats"])
            || head.has(&["results.version", "results.prompts"])
            || head.has(&["promptIdx", "testIdx", "provider"])
    }

    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError> {
        let path = input.path().to_owned();
        let mut json = Json::new(input.name(), input.reader()?);
        while json.more()? {
            outer(&mut json, &path, sink)?;
        }
        Ok(())
    }
}

/// The whole export, or one line of the JSONL form, which is a row.
fn outer<R: Read>(
    json: &mut Json<R>,
    path: &Path,
    sink: &mut dyn Sink,
) -> Result<(), InteropError> {
    let mut own = Row::default();
    let mut is_row = false;
    // Keys of the whole export may be called like keys of a row, and hold something else.
    let mut wrong = None;
    json.object(|key, json| {
        if key == "results" && json.kind()? == JsonKind::Object {
            return json.object(|key, json| match key {
                "results" => json.array(|json| {
                    let mut row = Row::default();
                    json.object(|key, json| row.take(key, json))?;
                    row.give(path, sink);
                    Ok(())
                }),
                _ => json.skip(),
            });
        }
        is_row |= key == "promptIdx";
        match own.take(key, json) {
            Err(error @ InteropError::Content { .. }) if wrong.is_none() => wrong = Some(error),
            Err(error @ InteropError::Cut { .. }) => return Err(error),
            _ => {}
        }
        Ok(())
    })?;
    match wrong {
        Some(error) if is_row => return Err(error),
        _ if is_row => own.give(path, sink),
        _ => {}
    }
    Ok(())
}

/// What is kept of a row; answers and prompts may be very long.
#[derive(Default)]
struct Row {
    prompt_idx: Option<u64>,
    test_idx: Option<u64>,
    test: TestCase,
    prompt: Prompt,
    provider: Value,
    vars: Map<String, Value>,
    error: Option<String>,
    failure_reason: Option<u64>,
    success: Option<bool>,
    score: Option<Number>,
    named: BTreeMap<String, Number>,
    latency: Option<Number>,
    cost: Option<Number>,
    tokens: Value,
}

#[derive(Default, Deserialize)]
struct TestCase {
    #[serde(default)]
    description: Option<String>,
}

#[derive(Default, Deserialize)]
struct Prompt {
    #[serde(default)]
    label: Option<String>,
}

impl Row {
    fn take<R: Read>(&mut self, key: &str, json: &mut Json<R>) -> Result<(), InteropError> {
        match key {
            "promptIdx" => self.prompt_idx = json.value(key)?,
            "testIdx" => self.test_idx = json.value(key)?,
            "testCase" => self.test = json.value::<Option<_>>(key)?.unwrap_or_default(),
            "prompt" => self.prompt = json.value::<Option<_>>(key)?.unwrap_or_default(),
            "provider" => self.provider = json.value(key)?,
            "vars" => self.vars = json.value::<Option<_>>(key)?.unwrap_or_default(),
            "error" => self.error = json.value(key)?,
            "failureReason" => self.failure_reason = json.value(key)?,
            "success" => self.success = json.value(key)?,
            "score" => self.score = json.value(key)?,
            "namedScores" => self.named = json.value::<Option<_>>(key)?.unwrap_or_default(),
            "latencyMs" => self.latency = json.value(key)?,
            "cost" => self.cost = json.value(key)?,
            "tokenUsage" => self.tokens = json.value(key)?,
            _ => return json.skip(),
        }
        Ok(())
    }

    fn give(self, path: &Path, sink: &mut dyn Sink) {
        let mut execution = Execution::of(path);
        let id = |key: &str| self.provider.get(key).and_then(Value::as_str);
        let label = id("label").filter(|label| !label.is_empty());
        let provider = label
            .or_else(|| id("id"))
            .or_else(|| self.provider.as_str());
        execution.set_some("provider", provider);
        let prompt = self.prompt.label.as_deref().map(first_line);
        let numbered = || self.prompt_idx.map(|place| format!("prompt {place}"));
        execution.set_some("prompt", prompt.or_else(numbered));
        // Repeats have their own numbers: what makes a test is what it is about.
        let test = self.test.description.filter(|text| !text.is_empty());
        let vars = || (!self.vars.is_empty()).then(|| named(&self.vars));
        let place = || self.test_idx.map(|place| format!("test {place}"));
        execution.set_some("test", test.or_else(vars).or_else(place));
        let mut numbers = Numbers {
            execution: &mut execution,
            sink,
        };
        let broken = self.failure_reason == Some(BROKEN)
            || self.failure_reason.is_none() && self.error.is_some();
        if !broken {
            numbers.score(self.score.map(|score| score.0));
            let passed = self.success.map(|passed| f64::from(u8::from(passed)));
            numbers.named_score("success", passed);
            for (name, value) in &self.named {
                numbers.named_score(name, Some(value.0));
            }
        }
        numbers.seconds("time", self.latency.map(|millis| millis.0 / 1000.0));
        numbers.cost(self.cost.map(|cost| cost.0));
        let tokens = |key: &str| self.tokens[key].as_f64();
        numbers.tokens(&Tokens {
            total: tokens("total"),
            input: tokens("prompt"),
            output: tokens("completion"),
            cached: None,
        });
        if broken {
            let message = self
                .error
                .unwrap_or_else(|| "the provider failed".to_owned());
            execution.fail(Outcome::Failed, first_line(&message));
        }
        sink.execution(execution);
    }
}

/// The first line of a text, not too long for a name.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(120).collect()
}

fn named(vars: &Map<String, Value>) -> String {
    let mut pairs: Vec<String> = vars
        .iter()
        .map(|(name, value)| format!("{name}={}", first_line(&Params::display(value))))
        .collect();
    pairs.sort();
    pairs.join(", ")
}
