//! What is scored again, and by what.

use fairtrial_journal::RunDir;
use fairtrial_model::UtcTime;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is scored again, and by what.
#[derive(Debug, Clone, Copy)]
pub struct ScoreRequest<'a> {
    /// The run.
    pub run: &'a RunDir,
    /// This very program.
    pub program: &'a Path,
    /// The caller's environment.
    pub environment: &'a [(String, String)],
    /// Files with later forms of tasks, by task: what is not here is scored as it was when it ran.
    pub tasks: &'a BTreeMap<String, PathBuf>,
    /// How many at the same time.
    pub slots: usize,
    /// The clock.
    pub now: fn() -> UtcTime,
}
