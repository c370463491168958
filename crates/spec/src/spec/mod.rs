//! The validated spec: what the user asked for, with every default filled in, every alias resolved and every number
//! in its unit. All that follows (plan, run, analysis) reads this and never the text again.

pub(crate) mod analysis;
pub(crate) mod budget;
pub(crate) mod hook;
pub(crate) mod needs;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod task;
pub(crate) mod work;

pub use analysis::{Analysis, DEFAULT_ALPHA, LookPromise, StopRule};
pub use budget::{Budget, MetricBudget};
pub use hook::{Hook, Reporter, ReporterKind};
pub use needs::Needs;
pub use sweep::{Axis, Strategy, Sweep};
pub use table::{Feeds, TableColumn, TableSpec};
pub use task::{CheckpointRule, InheritEnv, Limits, Retries, Task, Threads};
pub use work::{DEFAULT_MIN_TIME_S, Instrument, Work};

use crate::engine::EngineSpec;
use fairtrial_experiment::Sources;
use fairtrial_model::{Access, EqualRule, MetricDeclaration, Params};
use serde::{Deserialize, Serialize};

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
    /// Whether one trial runs at a time, whatever else is said.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub serial: bool,
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
    /// Who may read the run's folders.
    #[serde(default, skip_serializing_if = "Access::is_default")]
    pub access: Access,
    /// Whether each trial keeps a folder; where that is not said, the size of the plan decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_folders: Option<bool>,
    /// Free tags.
    pub tags: Vec<String>,
    /// Free text.
    pub notes: String,
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

    /// The parameters of a task that is one command, of an arm of its own where it has one.
    pub fn command_parameters<'a>(&'a self, task: &'a Task) -> &'a Params {
        let arm = self
            .arms
            .iter()
            .find(|arm| Some(&arm.name) == task.arm.as_ref());
        arm.map_or(&task.params, |arm| &arm.params)
    }

    /// Whether all its tasks are commands that a bench times in turns.
    pub fn is_bench(&self) -> bool {
        self.tasks.iter().all(|task| task.timed.is_some())
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
