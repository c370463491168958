//! `structure`: keeps the house in order. No circle among the files of a crate or among crates, and no type name that means
//! different things in several crates.

mod circles;
mod imports;
mod names;
mod tokens;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Look for import circles and for type names used twice
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> crate::Outcome {
    let problems = problems()?;
    for problem in &problems {
        println!("{problem}");
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("{} problems", problems.len()).into())
}

/// Everything that is out of order, in words.
fn problems() -> std::io::Result<Vec<String>> {
    let mut crates = Vec::new();
    for entry in fs::read_dir(crate::repository().join("crates"))? {
        crates.push(Crate::read(&entry?.path())?);
    }
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    let mut problems = circles::among_crates(&crates)?;
    problems.extend(crates.iter().flat_map(circles::among_files));
    problems.extend(names::used_twice(&crates));
    Ok(problems)
}

/// A crate as its files are, without tests.
struct Crate {
    /// The folder's name.
    name: String,
    path: PathBuf,
    /// The text of each file, by its place under `src`.
    files: BTreeMap<PathBuf, String>,
}

impl Crate {
    fn read(path: &Path) -> std::io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut read = Self {
            name: name.into_owned(),
            path: path.to_owned(),
            files: BTreeMap::new(),
        };
        read.take(&path.join("src"), Path::new(""))?;
        Ok(read)
    }

    fn take(&mut self, folder: &Path, place: &Path) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let place = place.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                self.take(&entry.path(), &place)?;
            } else if place.extension().is_some_and(|kind| kind == "rs") {
                self.files.insert(place, fs::read_to_string(entry.path())?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_house_is_in_order() {
        let problems = super::problems().unwrap();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}
