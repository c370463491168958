//! Why a file gives no numbers.

use std::io;

/// What is wrong with an episode file, or with what is asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EpisodeError {
    /// No file matches.
    #[error("{0} is not there")]
    NoFile(String),
    /// Several files match.
    #[error("{pattern} matches {} files ({}): name one", .found.len(), .found.join(", "))]
    SeveralFiles {
        /// The pattern.
        pattern: String,
        /// The files, by path.
        found: Vec<String>,
    },
    /// The system could not read it.
    #[error("{file}: {message}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        message: String,
        /// Its number for that, where it has one.
        os: Option<i32>,
    },
    /// It is not a CSV table with titles.
    #[error("{file} is not a CSV table: {message}")]
    Csv {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A row that is not whole.
    #[error("{file} line {line}: the row is damaged: {wrong}")]
    Damaged {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        wrong: String,
    },
    /// A column that is named is not there.
    #[error("no column `{column}` in {file}{}", .near.as_ref().map_or_else(String::new, |near| format!(" (did you mean `{near}`?)")))]
    Column {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// One that is called nearly so.
        near: Option<String>,
    },
    /// A cell that should hold a number.
    #[error("{file} line {line}: `{text}` in column `{column}` is not a number")]
    Number {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What stands there.
        text: String,
    },
    /// A word that the order of `strongest` does not know.
    #[error("{file} line {line}: `{text}` in column `{column}` is not in the `order`")]
    Word {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What stands there.
        text: String,
    },
    /// Nothing to measure.
    #[error("{file} has no episode to measure")]
    NoEpisode {
        /// The file.
        file: String,
    },
    /// The selection does not fit the number of episodes.
    #[error("{file} has {total} episodes: {message}")]
    Selection {
        /// The file.
        file: String,
        /// How many there are.
        total: u64,
        /// What is wrong.
        message: String,
    },
    /// More words than a metric may have.
    #[error("column `{column}` of {file} has more than {most} different words")]
    TooMany {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// The limit.
        most: usize,
    },
}

/// What is asked millions of times: the rare error is kept out of the way of the answer.
pub(crate) type Checked<T> = Result<T, Box<EpisodeError>>;

impl EpisodeError {
    /// A file that the system could not read; one that is not there is told apart.
    pub fn io(file: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound {
            return Self::NoFile(file.to_owned());
        }
        Self::Io {
            file: file.to_owned(),
            message: error.to_string(),
            os: error.raw_os_error(),
        }
    }

    pub(crate) fn csv(file: &str, error: &csv::Error) -> Self {
        match error.kind() {
            csv::ErrorKind::Io(error) => Self::io(file, error),
            _ => Self::Csv {
                file: file.to_owned(),
                message: error.to_string(),
            },
        }
    }
}
