//! `init`: a spec to start from.

use crate::exit::{Done, Exit, Failure};
use crate::printer::Printer;
use fairtrial_spec::Format;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// Print or write a commented spec to start from
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  fairtrial init bench.toml && fairtrial plan bench.toml")]
pub(crate) struct Args {
    /// The file to make: .toml, .yaml, .yml or .json; without it the spec is printed as TOML. A file that is there is
    /// never written over
    file: Option<PathBuf>,
}

/// The same spec in each format; JSON has no comments, so there its notes say what they say.
fn starter(format: Format) -> &'static str {
    match format {
        Format::Toml => include_str!("../../../../examples/starter.toml"),
        Format::Yaml => include_str!("../../../../examples/starter.yaml"),
        Format::Json => include_str!("../../../../examples/starter.json"),
    }
}

pub(crate) fn run(args: &Args, printer: Printer) -> Done {
    let Some(file) = &args.file else {
        printer.line(starter(Format::Toml).trim_end());
        return Ok(Exit::Fine);
    };
    let format = Format::of_path(file).ok_or_else(|| {
        let message = format!(
            "cannot make {}: its extension names no format of a spec",
            file.display()
        );
        Failure::input(message).hint(format!(
            "name it .toml, .yaml, .yml or .json, as {}",
            file.with_extension("toml").display()
        ))
    })?;
    let text = starter(format).as_bytes();
    let made = File::create_new(file).and_then(|mut made| made.write_all(text));
    made.map_err(|error| {
        let failure = Failure::input(format!("cannot make {}: {error}", file.display()));
        match error.kind() {
            ErrorKind::AlreadyExists => failure.hint("name another file; nothing was changed"),
            _ => failure,
        }
    })?;
    printer.tell(format!(
        "made {0}; `fairtrial plan {0}` shows what it would run",
        file.display()
    ));
    Ok(Exit::Fine)
}
