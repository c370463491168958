//! What is told or made when a run has ended.

use serde::{Deserialize, Serialize};

/// A program with limited time that is handed JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hook {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Seconds after which it is ended.
    pub timeout_s: f64,
}

/// A maker of files from a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reporter {
    /// Its name; its files go into a folder of this name.
    pub name: String,
    /// What makes them.
    pub by: ReporterKind,
    /// Seconds after which it is ended.
    pub timeout_s: f64,
}

/// What a reporter is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReporterKind {
    /// Program and arguments.
    Command(Vec<String>),
    /// A Python function, `module:function`.
    Python(String),
}
