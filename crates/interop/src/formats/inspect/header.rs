//! What a log says about its evaluation as a whole, and which samples it should have.

use super::super::shared::{fact, nested};
use super::sample::InspectSample;
use crate::execution::{Execution, ExecutionFields, FactKind};
use crate::sink::Sink;
use fairtrial_model::{Outcome, Params};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Samples times epochs that are listed as missing.
const MOST_MISSING: usize = 1_000_000;

/// A log while it is read.
pub(super) struct Log {
    pub(super) path: PathBuf,
    pub(super) header: Header,
    seen: HashSet<(String, u64)>,
}

/// The evaluation.
#[derive(Default)]
pub(super) struct Header {
    pub(super) status: String,
    fields: ExecutionFields,
    sample_ids: Vec<String>,
    epochs: u64,
    /// The scorer whose value is the score: the first.
    pub(super) scorer: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Eval {
    #[serde(default)]
    task: String,
    #[serde(default)]
    eval_id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    solver: Option<String>,
    #[serde(default)]
    task_args: Map<String, Value>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    #[serde(default)]
    tags: Option<Vec<String>>,
    #[serde(default)]
    dataset: Value,
    #[serde(default)]
    config: Value,
    #[serde(default)]
    revision: Value,
    #[serde(default)]
    packages: Value,
    #[serde(default)]
    scorers: Option<Vec<Value>>,
}

impl Header {
    pub(super) fn describe(&mut self, eval: Eval, sink: &mut dyn Sink) {
        let mut described = Execution::of("");
        described.set("task", eval.task);
        described.set_some("model", eval.model);
        described.set_some("solver", eval.solver);
        described.set_some("eval", eval.eval_id);
        nested(&mut described, "task_args", &eval.task_args);
        nested(
            &mut described,
            "metadata",
            &eval.metadata.unwrap_or_default(),
        );
        let tags = eval.tags.filter(|tags| !tags.is_empty());
        described.set_some("tags", tags.map(|tags| tags.join(", ")));
        self.fields = described.fields.into_shared();
        let ids = eval.dataset["sample_ids"].as_array();
        self.sample_ids = ids.into_iter().flatten().map(Params::display).collect();
        self.epochs = eval.config["epochs"].as_u64().unwrap_or(1).max(1);
        let scorers = eval.scorers.unwrap_or_default();
        let first = scorers.first().and_then(|scorer| scorer["name"].as_str());
        // A scorer of a package is listed with the package's name, and keeps its scores without it.
        let first = first.map(|name| name.rsplit('/').next().unwrap_or(name));
        self.scorer = first.map(str::to_owned);
        fact(sink, FactKind::Source, "commit", &eval.revision["commit"]);
        fact(
            sink,
            FactKind::Tool,
            "inspect_ai",
            &eval.packages["inspect_ai"],
        );
    }
}

impl Log {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            header: Header::default(),
            seen: HashSet::new(),
        }
    }

    pub(super) fn has(&self, sample: &str, epoch: u64) -> bool {
        self.seen.contains(&(sample.to_owned(), epoch))
    }

    fn execution(&self, sample: &str, epoch: u64) -> Execution {
        let mut execution = Execution::of(&self.path);
        execution.fields = self.header.fields.clone();
        execution.set("sample", sample);
        execution.fields.set("epoch", epoch.into());
        execution
    }

    /// Gives a sample away; of one that comes twice the first counts.
    pub(super) fn sample(&mut self, sample: InspectSample, sink: &mut dyn Sink) {
        let id = Params::display(&sample.id);
        if self.seen.insert((id.clone(), sample.epoch)) {
            let mut execution = self.execution(&id, sample.epoch);
            sample.fill(&mut execution, self.header.scorer.as_deref(), sink);
            sink.execution(execution);
        }
    }

    /// The samples that should be there and are not.
    pub(super) fn missing(&self, sink: &mut dyn Sink) {
        let header = &self.header;
        let expected = header
            .sample_ids
            .len()
            .saturating_mul(header.epochs as usize);
        if !header.is_over() {
            let status = match header.status.as_str() {
                "" | "started" => "did not come to its end (status `started`)".to_owned(),
                other => format!("ended with status `{other}`"),
            };
            sink.note(format!(
                "{}: the evaluation {status}; {} of {expected} samples have a result",
                self.path.display(),
                self.seen.len()
            ));
        }
        if header.is_over() || expected > MOST_MISSING {
            return;
        }
        for epoch in 1..=header.epochs {
            for id in &header.sample_ids {
                if !self.has(id, epoch) {
                    let mut execution = self.execution(id, epoch);
                    let message = "no result: the evaluation stopped before";
                    execution.fail(Outcome::Cancelled, message);
                    sink.execution(execution);
                }
            }
        }
    }
}
