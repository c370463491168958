//! Arguments that say where the declarations of a table are.

use fairtrial_session::tables::SuiteChoice;
use std::path::PathBuf;

/// Which declarations.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct SuiteArgs {
    /// The suite whose declarations count (columns, directions, margins)
    #[arg(long, value_name = "SPEC")]
    spec: Option<PathBuf>,
    /// Definitions that come with the program, instead of a spec
    #[arg(long, value_name = "NAME", conflicts_with = "spec")]
    preset: Option<String>,
}

impl SuiteArgs {
    /// The declarations that are meant.
    pub(super) fn choice(&self) -> SuiteChoice {
        SuiteChoice {
            spec: self.spec.clone(),
            preset: self.preset.clone(),
        }
    }
}
