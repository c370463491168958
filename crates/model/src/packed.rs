//! Where the files of a trial stand that has no folder of its own.

use serde::{Deserialize, Serialize};

/// A line of a file: its first byte, and how many it has.
pub type PackedLine = (u64, u64);

/// The lines of the run's `packed.jsonl` that hold what a trial would have in its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// Its script, with gaps for what differs between trials that share it; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<PackedLine>,
    /// What it left; absent where that is nothing but empty logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<PackedLine>,
    /// The first 32 hexadecimal digits of the SHA-256 over these lines, in this order.
    pub sha256: String,
}
