//! Arguments that name a run.

use crate::candidates;
use fairtrial_model::Stamp;
use fairtrial_session::RunChoice;

/// Which run.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct RunArgs {
    /// Name of the benchmark [default: the newest run of all]
    #[arg(add = candidates::runs())]
    name: Option<String>,
    /// The newest run of that name (this is the default)
    #[arg(long, conflicts_with = "rollout")]
    latest: bool,
    /// The run with this stamp, as `20250824__12-34-56`
    #[arg(long, value_name = "STAMP", requires = "name")]
    rollout: Option<Stamp>,
}

impl RunArgs {
    /// The run that is meant.
    pub(crate) fn choice(&self) -> RunChoice {
        RunChoice {
            name: self.name.clone(),
            stamp: self.rollout,
        }
    }
}
