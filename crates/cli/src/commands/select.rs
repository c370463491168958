//! Arguments that name a run.

use crate::data_dir;
use crate::exit::Failure;
use crate::global::Global;
use fairtrial_journal::{RunDir, Selector, list_runs};
use fairtrial_model::Stamp;

/// Which run.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct RunArgs {
    /// Name of the benchmark [default: the newest run of all]
    name: Option<String>,
    /// The newest run of that name (this is the default)
    #[arg(long, conflicts_with = "rollout")]
    latest: bool,
    /// The run with this stamp, as `20250824__12-34-56`
    #[arg(long, value_name = "STAMP", requires = "name")]
    rollout: Option<Stamp>,
}

impl RunArgs {
    /// Finds the run.
    pub(crate) fn find(&self, global: &Global) -> Result<RunDir, Failure> {
        let root = data_dir::for_here(global.data_dir.as_deref());
        let Some(name) = &self.name else {
            let newest = list_runs(&root)?.into_iter().max_by_key(RunDir::stamp);
            let nothing =
                || Failure::input(format!("there are no runs under {}", root.path().display()));
            return newest.ok_or_else(|| nothing().hint("`fairtrial run SPEC` makes one"));
        };
        let selector = self.rollout.map_or(Selector::Latest, Selector::Stamp);
        Ok(RunDir::open(&root, name, selector)?)
    }
}
