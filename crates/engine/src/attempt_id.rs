//! Which attempt at which trial is meant.

use serde::{Deserialize, Serialize};

/// One attempt at one trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AttemptId {
    /// The trial.
    pub index: u64,
    /// Its fencing number too: a record of an older attempt is never used.
    pub attempt: u32,
}
