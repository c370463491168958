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
    /// The metrics that it is about, the most important one first; where it names none, how long it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Headline>,
}

/// A metric that an experiment is about: what screens show, with everything else behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Headline {
    /// Its name among those that an iteration returns.
    pub name: String,
    /// Its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Which way is better; without one it is shown and no verdict is given on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Better>,
}

/// Which way of a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// More is better.
    Up,
    /// Less is better.
    Down,
}

impl Headline {
    /// A metric in a unit, of which more or less is better.
    pub fn new(name: &str, unit: &str, direction: Better) -> Self {
        Self {
            name: name.to_owned(),
            unit: Some(unit.to_owned()),
            direction: Some(direction),
        }
    }

    /// How long an iteration takes, as the worker measures it.
    pub fn duration() -> Self {
        Self::new("duration_s", "s", Better::Down)
    }
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
