//! Why nothing could be done with a table.

use std::path::PathBuf;

/// Why nothing could be done with a table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A preset that is none.
    #[error("there is no preset `{name}`")]
    NoPreset {
        /// What was named.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A run that is not there.
    #[error("there is no run `{name}`")]
    NoRun {
        /// What was named.
        name: String,
        /// Where it was looked for.
        root: PathBuf,
    },
    /// A table that the spec does not declare under this name.
    #[error("{spec} declares no table `{name}`")]
    NoTable {
        /// The spec.
        spec: String,
        /// What was named.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A file that is no declared table's.
    #[error("{spec} declares no table for {}", file.display())]
    Undeclared {
        /// The spec.
        spec: String,
        /// The file.
        file: PathBuf,
        /// What there is.
        known: Vec<String>,
    },
    /// No task feeds a table.
    #[error("no task of {0} feeds a table")]
    FedByNothing(String),
    /// A table that is not there.
    #[error("{0}")]
    NoFile(String),
    /// A side file that cannot be read.
    #[error("{}: {message}", path.display())]
    Origins {
        /// The side file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A table that changed since it was compared.
    #[error("{} changed since the baseline was read; nothing was written", .0.display())]
    NotExpected(PathBuf),
    /// A table that changed while it was worked on.
    #[error("{} was changed by somebody else while this command worked; nothing was written", .0.display())]
    ChangedMeanwhile(PathBuf),
    /// A run without rows for a table.
    #[error("run {run} has no row for {table}")]
    NoRows {
        /// The run.
        run: String,
        /// The table.
        table: String,
    },
    /// A column that only one of two tables has.
    #[error("{table} has no column `{title}`; nothing was written")]
    LacksColumn {
        /// The table without it.
        table: String,
        /// The column.
        title: String,
        /// Which of the two that is.
        lacking: Lacking,
    },
    /// No table was named.
    #[error("no table was named")]
    NothingNamed,
    /// Nothing says which way is better.
    #[error("nothing says which way is better")]
    NoDeclarations,
    /// Nothing says what is measured.
    #[error("no declarations were named")]
    NothingToMeasure,
    /// No metric over episodes.
    #[error("no metric over episodes is declared")]
    NoEpisodeMetric,
}

/// Which of two tables lacks a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacking {
    /// The one that is copied from.
    Source,
    /// The one that is written.
    Target,
}
