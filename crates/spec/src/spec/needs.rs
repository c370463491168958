//! What one trial takes of a machine.

use serde::{Deserialize, Serialize};

/// What one trial asks of the machine that it runs on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Needs {
    /// CPUs.
    pub cpus: Option<u32>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// GPUs; absent means one where this machine lends GPUs, none elsewhere.
    pub gpus: Option<u32>,
    /// Whether nothing else may run beside it.
    pub exclusive: bool,
}

impl Needs {
    /// Whether the task says nothing about resources.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
