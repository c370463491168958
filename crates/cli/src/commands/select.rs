//! Arguments that name a run.

use crate::data_dir;
use crate::exit::Failure;
use crate::global::Global;
use crate::newest::tell_passed_over;
use crate::printer::Printer;
use fairtrial_journal::{RunDir, Selector, newest_run};
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
    pub(crate) fn find(&self, global: &Global, printer: Printer) -> Result<RunDir, Failure> {
        let root = data_dir::for_here(global.data_dir.as_deref())?;
        let run = match (&self.name, self.rollout) {
            (None, _) => newest_run(&root)?.ok_or_else(|| {
                Failure::input(format!("there are no runs under {}", root.path().display()))
                    .hint("`fairtrial run SPEC` makes one")
            })?,
            (Some(name), Some(stamp)) => {
                return Ok(RunDir::open(&root, name, Selector::Stamp(stamp))?);
            }
            (Some(name), None) => RunDir::open(&root, name, Selector::Latest)?,
        };
        tell_passed_over(&run, self.name.is_none(), printer)?;
        Ok(run)
    }
}
