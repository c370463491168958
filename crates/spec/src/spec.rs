//! The validated spec: what the user asked for, with every default filled in, every alias resolved and every number
//! in its unit. All that follows (plan, run, analysis) reads this and never the text again.

use crate::engine::{EngineSpec, Needs};
use crate::rollout::RolloutOptions;
use fairtrial_experiment::{Origin, Sources};
use fairtrial_model::{Conversion, EqualRule, MetricDeclaration, ParamValue, Params};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the resolved form that a run keeps beside the text.
pub const SPEC_SCHEMA: u32 = 1;

/// A whole spec.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// [`SPEC_SCHEMA`].
    pub schema: u32,
    /// Name of the benchmark: `[A-Za-z0-9._-]+`, default the file's stem.
    pub name: String,
    /// The spec's file as the user gave it, for the manifest.
    pub source: String,
    /// Folder of the spec file, absolute: relative paths in the spec start here.
    pub base_dir: String,
    /// Seeds shared by all arms, never empty.
    pub seeds: Vec<u64>,
    /// Local slots; absent means the number of physical cores.
    pub parallel: Option<usize>,
    /// In which order trials are started.
    pub order: Order,
    /// Seed of the shuffles (order, random sweeps); recorded with the plan.
    pub order_seed: u64,
    /// The tasks, never empty, in the user's order; ids are unique per (id, arm).
    pub tasks: Vec<Task>,
    /// The arms in the user's order; empty where nothing is compared. Models of agent tasks become arms here.
    pub arms: Vec<Arm>,
    /// Top-level sweep, applied to every task.
    pub sweep: Sweep,
    /// Declared metrics in the user's order.
    pub metrics: Vec<MetricDeclaration>,
    /// Results tables in the user's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableSpec>,
    /// What the analysis compares.
    pub analysis: Analysis,
    /// What the arms must share for their comparison to be fair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equal: Vec<EqualRule>,
    /// Caps for the whole run.
    pub budget: Budget,
    /// Programs that make files of a finished run's report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reporters: Vec<Reporter>,
    /// What is told when a run comes to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_finish: Option<Hook>,
    /// What is told when trials failed, or a run was stopped or could not go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<Hook>,
    /// Provenance wishes.
    pub provenance: Provenance,
    /// Where registered experiments come from, besides those that are built in.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub experiments: Sources,
    /// Where result files in the registered-experiment form go.
    pub output_dir: Option<String>,
    /// Where trials run.
    #[serde(default, skip_serializing_if = "EngineSpec::is_default")]
    pub engine: EngineSpec,
    /// Free tags.
    pub tags: Vec<String>,
    /// Free text.
    pub notes: String,
}

/// A program with limited time that is handed JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hook {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Seconds after which it is ended.
    pub timeout_s: f64,
}

/// A maker of files from a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reporter {
    /// Its name; its files go into a folder of this name.
    pub name: String,
    /// What makes them.
    pub by: ReporterKind,
    /// Seconds after which it is ended.
    pub timeout_s: f64,
}

/// What a reporter is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReporterKind {
    /// Program and arguments.
    Command(Vec<String>),
    /// A Python function, `module:function`.
    Python(String),
}

/// A variant under comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Params,
}

/// In which order trials are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As the spec lists them: task, arm, point, seed.
    Spec,
    /// One seed across everything, shuffled inside the block; then the next seed.
    Blocks,
    /// Shuffled altogether.
    Random,
}

/// A grid of parameter points.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// Axes in the user's order, each with at least one value; empty means one point without parameters.
    pub axes: Vec<Axis>,
    /// How the axes are combined.
    pub strategy: Strategy,
}

impl Sweep {
    /// How many combinations the values of its axes have, whatever the strategy; one where it sweeps nothing.
    pub fn combinations(&self) -> u128 {
        self.axes.iter().fold(1, |product: u128, axis| {
            product.saturating_mul(axis.values.len() as u128)
        })
    }
}

/// One swept parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The parameter.
    pub name: String,
    /// Its values.
    pub values: Vec<ParamValue>,
}

/// How axes are combined into points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Every combination, the last axis fastest.
    #[default]
    Cartesian,
    /// The first values together, the second values together, ...; all axes have one length.
    Zip,
    /// This many draws, each axis independently, with replacement.
    Random {
        /// How many.
        samples: usize,
    },
}

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// What it runs.
    pub work: Work,
    /// The one arm it belongs to (where `model` is the arm); absent means every arm.
    pub arm: Option<String>,
    /// Repetitions under each seed.
    pub rollouts: u32,
    /// Seeds of this task, where it has its own.
    pub seeds: Option<Vec<u64>>,
    /// The task's own parameters (`params`, and `model` where arms are declared).
    pub params: Params,
    /// The task's own sweep (lists in `params`, a `sweep` inside the task), combined with the top-level one.
    pub sweep: Sweep,
    /// Conditions that the parameters of every trial satisfy (see [`crate::Constraint`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// Environment variables added for the trial; values may hold placeholders and `${NAME}` references, which are
    /// resolved at run time.
    pub env: BTreeMap<String, String>,
    /// Which of the caller's variables the trial inherits.
    pub inherit_env: InheritEnv,
    /// Working directory, relative to the spec's folder, may hold placeholders; absent means the spec's folder.
    pub workdir: Option<String>,
    /// Limits.
    pub limits: Limits,
    /// What a trial takes of a machine.
    #[serde(default, skip_serializing_if = "Needs::is_default")]
    pub resources: Needs,
    /// Ids of tasks that must have succeeded before this one starts.
    pub needs: Vec<String>,
    /// Further attempts, by outcome.
    pub retries: Retries,
    /// Bytes kept of each of standard output and standard error.
    pub log_limit: u64,
    /// The results table that it feeds, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feeds: Option<Feeds>,
    /// Which episodes it runs, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episodes: Option<String>,
    /// Paths that it makes for others, relative to the spec's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Paths whose change makes the outputs stale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// Where in the source this task stands (byte offset), for later diagnostics.
    pub place: usize,
}

/// The row of a results table that a task feeds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feeds {
    /// The table's name in the spec.
    pub table: String,
    /// The row's key, may hold placeholders.
    pub row: String,
    /// Former keys of the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<String>,
}

/// A results table kept in the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSpec {
    /// Its name in the spec.
    pub name: String,
    /// The CSV file, relative to the spec's folder.
    pub file: String,
    /// Title of the key column; absent means the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The columns that metrics fill, in the user's order.
    pub columns: Vec<TableColumn>,
    /// Title of a column with each row's origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance_column: Option<String>,
}

/// A column that a metric fills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumn {
    /// The column's title without its options.
    pub title: String,
    /// The metric.
    pub metric: String,
    /// Unit of the metric and of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convert: Option<Conversion>,
    /// Decimals, where they were said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
    /// What to write where there is no value; absent means that the row is left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// What a task runs: exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Work {
    /// Any program.
    Command {
        /// Program and arguments, each possibly with placeholders. With `shell`, one element: the script.
        argv: Vec<String>,
        /// Whether `/bin/sh -c` runs it.
        shell: bool,
    },
    /// A registered experiment.
    Experiment {
        /// Its slug.
        slug: String,
        /// Executed and not measured.
        warmup: u32,
        /// Measured iterations.
        measured: u32,
        /// What observes it.
        instruments: Vec<Instrument>,
        /// Where it comes from; absent where the spec was read without a catalogue of experiments.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
    /// An agent task.
    Prepared {
        /// The prepared directory, as written.
        dir: String,
        /// The model.
        model: String,
        /// Whether overrides apply.
        apply_overrides: bool,
        /// The overrides file.
        overrides: Option<String>,
        /// How its rollouts are run and scored.
        options: Box<RolloutOptions>,
        /// Hash of the task with its overrides; absent where nobody looked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
    },
}

/// Programs whose `-c` takes a script, in which `${NAME}` is theirs.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];

impl Work {
    /// The words in which `${NAME}` is a variable of the caller: those of a command that no shell reads.
    pub fn env_words(&self) -> &[String] {
        let Self::Command { argv, shell: false } = self else {
            return &[];
        };
        let program = argv.first().and_then(|word| word.rsplit('/').next());
        let script = argv
            .iter()
            .any(|word| word.starts_with('-') && word.ends_with('c'));
        if script && program.is_some_and(|program| SHELLS.contains(&program)) {
            return &[];
        }
        argv
    }
}

/// An instrument with its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instrument {
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: Params,
}

/// Which of the caller's environment variables a trial inherits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InheritEnv {
    /// Patterns (`*` at the end allowed) of names to pass; the default is every name.
    pub allow: Vec<String>,
    /// Patterns of names not to pass; wins over `allow`.
    pub deny: Vec<String>,
}

/// Limits on one trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall seconds (`timeout`).
    pub wall_s: Option<f64>,
    /// CPU seconds of the whole trial.
    pub cpu_s: Option<f64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processes and threads at once.
    pub processes: Option<u64>,
    /// Seconds between the polite and the forced end (`kill_grace`, default 5).
    pub grace_s: f64,
}

/// How often an ending is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retries {
    /// After `infra` (default 2).
    pub infra: u32,
    /// After `failed` (default 0).
    pub failed: u32,
    /// After `timeout` (default 0).
    pub timeout: u32,
    /// After `oom` (default 0).
    pub oom: u32,
}

/// What the analysis compares.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The control arm; default: the arm named `control`, else the first.
    pub control: Option<String>,
    /// The primary metric.
    pub metric: Option<String>,
    /// Two-sided error rate, as it was written; [`Analysis::alpha`] is the one that counts.
    pub alpha: Option<f64>,
    /// The stopping rule.
    pub stop: Option<StopRule>,
    /// Fresh seeds on which the best point of a sweep is run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<u32>,
    /// The share of a side's trials that must count for a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid: Option<f64>,
}

/// The error rate of whoever does not name one.
pub const DEFAULT_ALPHA: f64 = 0.05;

impl Analysis {
    /// The two-sided error rate.
    pub fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(DEFAULT_ALPHA)
    }
}

/// When a sequential run ends early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StopRule {
    /// What to wait for; only `decided` so far.
    pub when: String,
    /// Pairs before the first look.
    pub min: u32,
    /// Pairs at most.
    pub max: u32,
}

/// Caps for the whole run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Wall seconds of the run.
    pub wall_s: Option<f64>,
    /// Trials started.
    pub trials: Option<u64>,
    /// Money, summed over the metric named here.
    pub cost: Option<MetricBudget>,
    /// Tokens of models, summed over the metric named here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<MetricBudget>,
}

impl Budget {
    /// The metric of money where a spec names none.
    pub const COST_METRIC: &'static str = "cost_usd";
    /// The metric of tokens where a spec names none.
    pub const TOKENS_METRIC: &'static str = "tokens_total";
}

/// A cap on the sum of a metric over all attempts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricBudget {
    /// The cap.
    pub max: f64,
    /// The metric that carries what a trial spent.
    pub metric: String,
}

/// What to record about the environment beyond the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Names (patterns) of environment variables to record.
    pub env: Vec<String>,
    /// Paths whose changes since a baseline matter.
    pub watch: Vec<String>,
}

impl Spec {
    /// The seeds of a task.
    pub fn seeds_of<'a>(&'a self, task: &'a Task) -> &'a [u64] {
        task.seeds.as_deref().unwrap_or(&self.seeds)
    }

    /// The metrics as a task's trials report them: one that fills a column is required only of the tasks that feed
    /// its table.
    pub fn metrics_of(&self, task: &Task) -> Vec<MetricDeclaration> {
        let fills = |table: &TableSpec, metric: &str| {
            let missing_fails = |column: &TableColumn| column.missing.is_none();
            let columns = table.columns.iter();
            columns
                .filter(|column| missing_fails(column))
                .any(|column| column.metric == metric)
        };
        let fed = |table: &TableSpec| {
            task.feeds
                .as_ref()
                .is_some_and(|feeds| feeds.table == table.name)
        };
        let declared = self.metrics.iter().cloned();
        declared
            .map(|mut metric| {
                let mut tables = self
                    .tables
                    .iter()
                    .filter(|table| table.columns.iter().any(|c| c.metric == metric.name))
                    .peekable();
                if tables.peek().is_some() {
                    metric.required &= tables.any(|table| fed(table) && fills(table, &metric.name));
                }
                metric
            })
            .collect()
    }

    /// Whether there is more than one point to choose from.
    pub fn is_swept(&self) -> bool {
        let several = |sweep: &Sweep| sweep.axes.iter().any(|axis| axis.values.len() > 1);
        several(&self.sweep) || self.tasks.iter().any(|task| several(&task.sweep))
    }

    /// The name of the metric that decides: the one that the analysis names, which need not be declared, else the first
    /// that is.
    pub fn primary_metric(&self) -> Option<&str> {
        let first = || self.metrics.first().map(|metric| metric.name.as_str());
        self.analysis.metric.as_deref().or_else(first)
    }

    /// How that metric is declared; nothing where it is not.
    pub fn primary_declaration(&self) -> Option<&MetricDeclaration> {
        let name = self.primary_metric()?;
        self.metrics.iter().find(|metric| metric.name == name)
    }

    /// The arm everything is compared with, where there are arms.
    pub fn control(&self) -> Option<&str> {
        let named = self.analysis.control.as_deref();
        let called_control = || {
            self.arms
                .iter()
                .find(|arm| arm.name == "control")
                .map(|arm| arm.name.as_str())
        };
        named
            .or_else(called_control)
            .or_else(|| self.arms.first().map(|arm| arm.name.as_str()))
    }
}
