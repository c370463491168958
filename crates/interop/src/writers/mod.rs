//! Runs for other tools: one file per format behind one trait. A new one is a new file and a line in [`WRITERS`].

mod bmf;
mod github_action;
mod groups;
mod hyperfine;
mod inspect_csv;
mod junit;
mod push;
mod rows;
mod table;

pub use push::push;
pub use rows::{Form, Rows, SeriesRow, Shape};
pub use table::TableKind;

use crate::error::InteropError;
use fairtrial_model::{MetricDeclaration, Record};
use fairtrial_text::nearest::nearest;

/// A run that is given away.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// The benchmark.
    pub name: &'a str,
    /// Metrics as they are declared, the primary one first.
    pub metrics: &'a [MetricDeclaration],
    /// The effective record of every trial.
    pub records: &'a [Record],
}

impl Outgoing<'_> {
    /// The metric that is meant where a format holds one: the first that is declared, else the first that is there.
    fn primary(&self) -> Option<&str> {
        let declared = self.metrics.first().map(|metric| metric.name.as_str());
        let there = self.records.iter();
        let mut there = there.flat_map(|record| record.metrics.keys());
        declared.or_else(|| there.next().map(String::as_str))
    }

    /// The unit of a metric.
    fn unit(&self, metric: &str) -> Option<&str> {
        let mut declared = self.metrics.iter();
        let declared = declared.find(|declared| declared.name == metric)?;
        declared.unit.as_deref()
    }
}

/// A format that a whole run is written in, as one text.
pub trait Writer: Sync {
    /// Its name for `--to`.
    fn name(&self) -> &'static str;

    /// The text.
    fn write(&self, run: &Outgoing<'_>) -> Result<String, InteropError>;
}

/// All formats of one text.
pub static WRITERS: &[&dyn Writer] = &[
    &bmf::Bmf,
    &github_action::GithubAction,
    &hyperfine::Hyperfine,
    &inspect_csv::InspectCsv,
    &junit::Junit,
];

/// Where a run is given to.
pub enum Target {
    /// A table of rows.
    Table(TableKind),
    /// A text in another tool's form.
    Text(&'static dyn Writer),
    /// The user's own tracker, through its client.
    Tracker(Tracker),
}

/// A tracker of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracker {
    /// MLflow.
    Mlflow,
    /// W&B.
    Wandb,
}

impl Target {
    /// The target of a name, for `--to`.
    pub fn named(name: &str) -> Result<Self, InteropError> {
        let table = TableKind::ALL.into_iter().find(|kind| kind.name() == name);
        if let Some(kind) = table {
            return Ok(Self::Table(kind));
        }
        if let Some(writer) = WRITERS.iter().find(|writer| writer.name() == name) {
            return Ok(Self::Text(*writer));
        }
        match name {
            "mlflow" => Ok(Self::Tracker(Tracker::Mlflow)),
            "wandb" => Ok(Self::Tracker(Tracker::Wandb)),
            other => {
                let names: Vec<&str> = Self::names().collect();
                let near = nearest(other, names.iter().copied());
                let hint =
                    near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
                Err(InteropError::Unknown(format!(
                    "`{other}` is no format to export to{hint}; there are {}",
                    names.join(", ")
                )))
            }
        }
    }

    /// The names of all targets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let tables = TableKind::ALL.into_iter().map(TableKind::name);
        let texts = WRITERS.iter().map(|writer| writer.name());
        tables.chain(texts).chain(["mlflow", "wandb"])
    }
}

/// A value as JSON.
fn as_json(value: &serde_json::Value) -> Result<String, InteropError> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n")
        .map_err(|error| InteropError::Unknown(error.to_string()))
}
