//! What a processor counts while a program runs.

use serde::{Deserialize, Serialize};

/// Something that the processor counts, in user space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HardwareCounter {
    /// Instructions that were executed.
    Instructions,
    /// Cycles of the CPU.
    Cycles,
    /// Accesses to memory that no cache could serve.
    CacheMisses,
    /// Branches that went another way than was predicted.
    BranchMisses,
}

impl HardwareCounter {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Instructions,
        Self::Cycles,
        Self::CacheMisses,
        Self::BranchMisses,
    ];

    /// Its field of the resource record.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Cycles => "cycles",
            Self::CacheMisses => "cache_misses",
            Self::BranchMisses => "branch_misses",
        }
    }

    /// As people say it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Cycles => "CPU cycles",
            Self::CacheMisses => "cache misses",
            Self::BranchMisses => "branch misses",
        }
    }

    /// The one with this field.
    pub fn named(field: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|counter| counter.field() == field)
    }
}
