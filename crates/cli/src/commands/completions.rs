//! `completions`: scripts for shells.

use crate::app::App;
use crate::exit::Exit;
use crate::printer::Printer;
use clap::CommandFactory;
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

pub(crate) fn run(args: &Args, printer: Printer) -> Exit {
    let mut script = Vec::new();
    generate(args.shell, &mut App::command(), "fairtrial", &mut script);
    printer.line(String::from_utf8_lossy(&script).trim_end());
    Exit::Fine
}
