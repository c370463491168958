//! `completions`: scripts for shells. They ask this program at every key, which knows the runs, arms and metrics there are.

use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use clap_complete::Shell;
use clap_complete::env::Shells;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  fairtrial completions bash > ~/.local/share/bash-completion/completions/fairtrial"
)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

/// The variable by which a shell's script asks.
pub(crate) const ASKED_BY: &str = "FAIRTRIAL_COMPLETE";

pub(crate) fn run(args: &Args, printer: Printer) -> Done {
    let shells = Shells::builtins();
    let name = args.shell.to_string();
    let shell = shells
        .completer(&name)
        .ok_or_else(|| Failure::input(format!("there is no script for {name}")))?;
    let mut script = Vec::new();
    shell
        .write_registration(ASKED_BY, "fairtrial", "fairtrial", "fairtrial", &mut script)
        .map_err(|error| Failure::machine(format!("cannot write the script: {error}")))?;
    printer.page(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Fine)
}
