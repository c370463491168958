//! Where learning curves come from, and the metric that is meant where none is named.

use crate::error::SessionError;
use crate::session::Session;
use fairtrial_analysis::curves::Histories;
use fairtrial_journal::resolved_spec;
use fairtrial_spec::Filter;
use std::path::PathBuf;

/// The metric of curves that no spec describes.
const USUAL_METRIC: &str = "overview/reward";

impl Session {
    /// Curves of runs of this data root, of files, and of a table or folder; of runs, only the trials that pass a
    /// filter.
    pub fn histories(&self, from: Option<PathBuf>, only: Option<Filter>) -> Histories {
        Histories::new(self.data_root(), from).only(only)
    }

    /// The primary metric of a run that is named as `NAME[/STAMP][:ARM[:SEED]]`, else the usual one.
    pub fn curve_metric(&self, run: &str) -> Result<String, SessionError> {
        let name = run.split_once(':').map_or(run, |(name, _)| name);
        let spec = self.run_named(name)?.map(|run| resolved_spec(&run));
        let spec = spec.transpose()?;
        let primary = spec.as_ref().and_then(|spec| spec.primary_metric());
        Ok(primary.unwrap_or(USUAL_METRIC).to_owned())
    }
}
