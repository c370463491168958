//! The one contract of all readers: what a format is called, how it is recognised, and how it is read.

use crate::error::InteropError;
use crate::formats::FORMATS;
use crate::head::Head;
use crate::input::Input;
use crate::rules::Rules;
use crate::sink::Sink;
use fairtrial_text::nearest::nearest;
use std::path::{Path, PathBuf};

/// A kind of file, or of folder, that another tool writes. One file under `formats/` each, and one line in
/// [`crate::formats`].
pub trait Format: Sync {
    /// Its name for `--format`.
    fn name(&self) -> &'static str;

    /// What a file of it is, for the line that says what was recognised: `results of hyperfine`.
    fn title(&self) -> &'static str;

    /// Which of its fields is the arm, the task and the seed.
    fn rules(&self) -> Rules;

    /// Whether a file is one, by its content.
    fn knows_file(&self, head: &Head) -> bool;

    /// Whether the file at a path is one.
    fn claims(&self, path: &Path) -> bool {
        Head::read(path).is_ok_and(|head| self.knows_file(&head))
    }

    /// Whether a folder is one, as a whole.
    fn knows_folder(&self, _folder: &Path) -> bool {
        false
    }

    /// Which files belong together and are read as one.
    fn units(&self, files: Vec<PathBuf>) -> Result<Vec<Unit>, InteropError> {
        Ok(files.into_iter().map(Unit::one).collect())
    }

    /// Reads what stands in one file.
    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError>;

    /// Reads files that belong together, or a folder.
    fn read(&self, unit: &Unit, sink: &mut dyn Sink) -> Result<(), InteropError> {
        for path in &unit.paths {
            self.read_file(Input::open(path)?, sink)?;
        }
        Ok(())
    }
}

/// What is read as one: a file, a folder, or files that are parts of one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The files, in the order in which they are read.
    pub paths: Vec<PathBuf>,
}

impl Unit {
    /// One file or folder.
    pub fn one(path: PathBuf) -> Self {
        Self { paths: vec![path] }
    }
}

/// The format of a name, for `--format`.
pub fn format_named(name: &str) -> Result<&'static dyn Format, InteropError> {
    let found = FORMATS.iter().find(|format| format.name() == name);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
        let near = nearest(name, names.iter().copied());
        let hint = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        InteropError::Unknown(format!(
            "no format is called `{name}`{hint}; there are {}",
            names.join(", ")
        ))
    })
}
