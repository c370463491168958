//! Why another tool's file cannot be read: what is wrong, in which file, on which line, under which name.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong on the way from another tool's files to executions.
#[derive(Debug, thiserror::Error)]
pub enum InteropError {
    /// The system refused.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file holds something else than it should.
    #[error("{place}: {message}")]
    Content {
        /// Where.
        place: FilePlace,
        /// What is wrong.
        message: String,
    },
    /// A file ends in the middle of something.
    #[error("{place}: the file is cut off here")]
    Cut {
        /// Where.
        place: FilePlace,
    },
    /// No reader knows what this is.
    #[error("{0}")]
    Unknown(String),
    /// Several readers, or several fields, could be meant.
    #[error("{0}")]
    Ambiguous(String),
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlace {
    /// The file, as the user knows it.
    pub file: String,
    /// The line, from 1, in files that have lines.
    pub line: Option<u64>,
    /// The name of the value, where one is read.
    pub field: Option<String>,
}

impl FilePlace {
    /// A file as a whole.
    pub fn of(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: None,
            field: None,
        }
    }

    /// A line of it.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// A value in it.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

impl std::fmt::Display for FilePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(field) = &self.field {
            write!(f, ", `{field}`")?;
        }
        Ok(())
    }
}

impl InteropError {
    /// What the system said about a path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// Something is wrong with a file.
    pub(crate) fn content(place: FilePlace, message: impl Into<String>) -> Self {
        Self::Content {
            place,
            message: message.into(),
        }
    }
}
