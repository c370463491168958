//! `completions`: scripts for shells.

use crate::exit::Exit;
use crate::printer::Printer;
use clap_complete::{Shell, generate};

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  fairtrial completions bash > ~/.local/share/bash-completion/completions/fairtrial"
)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// `app` is the whole command line as it stands.
pub(crate) fn run(args: &Args, mut app: clap::Command, printer: Printer) -> Exit {
    let mut script = Vec::new();
    generate(args.shell, &mut app, "fairtrial", &mut script);
    printer.page(String::from_utf8_lossy(&script).trim_end());
    Exit::Fine
}
