//! The one contract of all readers: what a format is called, how it is recognised, and how it is read.

use crate::error::InteropError;
use crate::head::Head;
use crate::input::Input;
use crate::rules::Rules;
use crate::sink::Sink;
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
    fn units(&self, files: Vec<PathBuf>) -> Result<Vec<ReadUnit>, InteropError> {
        Ok(files.into_iter().map(ReadUnit::one).collect())
    }

    /// Reads what stands in one file.
    fn read_file(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<(), InteropError>;

    /// Reads files that belong together, or a folder.
    fn read(&self, unit: &ReadUnit, sink: &mut dyn Sink) -> Result<(), InteropError> {
        for path in &unit.paths {
            self.read_file(Input::open(path)?, sink)?;
        }
        Ok(())
    }
}

/// What is read as one: a file, a folder, or files that are parts of one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadUnit {
    /// The files, in the order in which they are read.
    pub paths: Vec<PathBuf>,
}

impl ReadUnit {
    /// One file or folder.
    pub fn one(path: PathBuf) -> Self {
        Self { paths: vec![path] }
    }
}
