//! `init`: a spec to start from.

use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// Print or write a commented spec to start from
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial init bench.toml && fairtrial plan bench.toml")]
pub(crate) struct Args {
    /// The file to make; without it the spec is printed. A file that is there is never written over
    file: Option<PathBuf>,
}

const STARTER: &str = include_str!("../../../../examples/starter.toml");

pub(crate) fn run(args: &Args, printer: Printer) -> Done {
    let Some(file) = &args.file else {
        printer.line(STARTER.trim_end());
        return Ok(Exit::Fine);
    };
    let made = File::create_new(file).and_then(|mut made| made.write_all(STARTER.as_bytes()));
    made.map_err(|error| Failure::input(format!("cannot make {}: {error}", file.display())))?;
    printer.tell(format!(
        "made {0}; `fairtrial plan {0}` shows what it would run",
        file.display()
    ));
    Ok(Exit::Fine)
}
