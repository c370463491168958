//! Runs for other tools: one file per format behind one trait. A new one is a new file and a line in [`WRITERS`].

mod bmf;
mod github_action;
mod groups;
mod harbor_job;
mod hyperfine;
mod hyperfine_v2;
mod inspect_csv;
mod junit;
mod outgoing;
mod push;
mod rows;
mod table;

pub use harbor_job::{HarborJob, Rewards};
pub use outgoing::{Outgoing, Writer};
pub use push::{Tracker, push};
pub use rows::{Form, Rows, SeriesRow, Shape};
pub use table::TableKind;

use crate::error::InteropError;
use fairtrial_text::nearest::nearest;

/// All formats of one text.
pub static WRITERS: &[&dyn Writer] = &[
    &bmf::Bmf,
    &github_action::GithubAction,
    &hyperfine::Hyperfine,
    &hyperfine_v2::HyperfineV2,
    &inspect_csv::InspectCsv,
    &junit::Junit,
];

/// Where a run is given to.
pub enum Target {
    /// A table of rows.
    Table(TableKind),
    /// A text in another tool's form.
    Text(&'static dyn Writer),
    /// A job folder of Harbor.
    HarborJob,
    /// The user's own tracker, through its client.
    Tracker(Tracker),
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
            "harbor" => Ok(Self::HarborJob),
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
        tables.chain(texts).chain(["harbor", "mlflow", "wandb"])
    }
}
