//! Arguments that say which spec, and what of it.

use fairtrial_session::SpecFile;
use std::path::PathBuf;

/// Which spec.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SpecArgs {
    /// The spec: TOML, YAML or JSON
    pub(crate) spec: PathBuf,
    /// Replace a value of the spec, as `tasks.0.timeout=1h` or `seeds=5`
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

impl SpecArgs {
    /// The spec that is meant.
    pub(crate) fn file(&self) -> SpecFile {
        SpecFile {
            path: self.spec.clone(),
            set: self.set.clone(),
        }
    }
}
