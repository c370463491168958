//! Files that a command writes because it was told to; `-` is standard output.

use crate::exit::Failure;
use crate::printer::Printer;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_session::Picture;
use std::io::Write as _;
use std::path::Path;

/// Whether a file is standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// The printer for everything else that a command says, which goes to standard error where a file has standard output.
/// There is room for one thing there.
pub(crate) fn beside<'a>(
    printer: Printer,
    files: impl IntoIterator<Item = Option<&'a Path>>,
    json: bool,
) -> Result<Printer, Failure> {
    let there = files.into_iter().flatten().filter(|path| is_stdout(path));
    match there.count() {
        0 => Ok(printer),
        1 if !json => Ok(printer.aside()),
        _ => {
            let failure = Failure::input("standard output has room for one of these");
            Err(failure.hint("`-` is standard output, as is --json; name a file for the others"))
        }
    }
}

/// Writes a file, whole or not at all.
pub(crate) fn write(printer: Printer, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_stdout(path) {
        printer.stream(|out| out.write_all(bytes));
        return Ok(());
    }
    Ok(write_atomic_bytes(path, Durability::Process, bytes)?)
}

/// The kind of a picture by the name of its file; standard output gets letters and lines.
pub(crate) fn kind_of(path: &Path) -> Result<Picture, Failure> {
    if is_stdout(path) {
        return Ok(Picture::Svg);
    }
    Ok(Picture::of(path)?)
}
