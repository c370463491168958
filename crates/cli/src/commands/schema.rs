//! `schema`: the JSON Schema of specs, for editors.

use crate::exit::Exit;
use crate::printer::Printer;

/// Print the JSON Schema of specs, for completion and checks in an editor
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  fairtrial schema > fairtrial.schema.json\n\nThen put `#:schema ./fairtrial.schema.json` at the top of a TOML spec."
)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, printer: Printer) -> Exit {
    printer.json(&fairtrial_spec::schema());
    Exit::Fine
}
