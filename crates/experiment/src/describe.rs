//! What a list of experiments shows, and where each comes from.

use crate::schema::ParamSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An experiment as its worker describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// Its name in specs.
    pub slug: String,
    /// What it measures, in one line.
    #[serde(default)]
    pub summary: String,
    /// Free tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Its parameters.
    #[serde(default)]
    pub params: ParamSchema,
}

/// An instrument as its worker describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InstrumentInfo {
    /// Its name in specs.
    pub name: String,
    /// What it observes, in one line.
    #[serde(default)]
    pub summary: String,
    /// Its options.
    #[serde(default)]
    pub options: ParamSchema,
}

/// Where an experiment comes from, and so which worker runs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// This program itself.
    Builtin,
    /// A Python module.
    Python {
        /// The module that defines it.
        module: String,
    },
    /// A program that speaks the worker protocol.
    Program {
        /// Its path, as the spec names it.
        program: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str("built in"),
            Self::Python { module } => write!(f, "python {module}"),
            Self::Program { program } => f.write_str(program),
        }
    }
}
