//! What every command takes, whichever it is.

use crate::printer::ColorChoice;
use std::path::PathBuf;

/// Arguments that every command takes.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Global {
    /// Where runs are kept [default: `data/` of the project; env: FAIRTRIAL_DATA]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
}
