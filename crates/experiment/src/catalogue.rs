//! The question that a spec asks before anything runs: is there such an experiment, and what does it take?

use crate::describe::{Description, InstrumentInfo, Origin};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where a spec says experiments come from, besides those that are built in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// Python modules and packages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub python: Vec<String>,
    /// Programs that speak the worker protocol, relative to the spec's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rust: Vec<String>,
    /// The Python interpreter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<String>,
    /// Functions that get the result files at the end of a run, as `module:function`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reporters: Vec<String>,
}

impl Sources {
    /// Whether only built-in experiments are known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Everything that a spec's sources offer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lookup {
    /// The experiments, each with where it comes from.
    pub experiments: Vec<(Description, Origin)>,
    /// The instruments.
    pub instruments: Vec<InstrumentInfo>,
    /// Slugs of built-in experiments that the user's own ones take the place of.
    pub replaced: Vec<String>,
    /// Modules whose source does not say all.
    pub imported: Vec<ImportedModule>,
}

/// A module that had to be imported to be listed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ImportedModule {
    /// The module.
    pub module: String,
    /// What its source does not say.
    pub why: String,
    /// Why it could not be imported; what its source does not say is then known only when it runs.
    #[serde(default)]
    pub failed: Option<String>,
}

/// A source that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LookupError {
    /// The source as the spec names it.
    pub source_name: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// Knows experiments and instruments.
pub trait Catalogue {
    /// Looks up what is built in and what `sources` offer; `base` is the spec's folder. What could be read is given
    /// beside the sources that could not.
    fn look_up(&self, sources: &Sources, base: &Path) -> (Lookup, Vec<LookupError>);
}
