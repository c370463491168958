//! How an agent keeps what it sees: a dense block of numbers, or the few that are not zero and a block made on demand.

use serde::Deserialize;

/// Channels of an observation.
pub(super) const CHANNELS: usize = 13;

/// How observations are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StorageMode {
    /// Entries that are not zero; the block is built when it is asked for and kept while nothing changes.
    Hybrid,
    /// The block alone, written anew each time.
    Dense,
}

impl StorageMode {
    /// Their names.
    pub(crate) const NAMES: [&'static str; 2] = ["hybrid", "dense"];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Dense => "dense",
        }
    }
}

/// One value of an observation: its place in the block, and the value.
pub(super) type Entry = (u32, f32);

/// What one agent sees.
#[derive(Debug)]
pub(super) struct Observation {
    mode: StorageMode,
    size: usize,
    entries: Vec<Entry>,
    dense: Vec<f32>,
    /// Whether the block holds the entries.
    built: bool,
}

/// What keeping an observation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// Nothing had changed: the block was there already.
    Hit,
    /// The block was written.
    Rebuilt,
}

impl Observation {
    /// An empty observation of a square with this side.
    pub(super) fn new(mode: StorageMode, side: usize) -> Self {
        let size = CHANNELS * side * side;
        Self {
            mode,
            size,
            entries: Vec::new(),
            dense: Vec::new(),
            built: false,
        }
    }

    /// Takes what the agent sees now.
    pub(super) fn update(&mut self, seen: &[Entry]) -> Kept {
        if self.mode == StorageMode::Hybrid {
            if self.built && self.entries == seen {
                return Kept::Hit;
            }
            self.entries.clear();
            self.entries.extend_from_slice(seen);
        }
        self.dense.clear();
        self.dense.resize(self.size, 0.0);
        for (place, value) in seen {
            if let Some(slot) = self.dense.get_mut(*place as usize) {
                *slot = *value;
            }
        }
        self.built = true;
        Kept::Rebuilt
    }

    /// The block.
    pub(super) fn dense(&self) -> &[f32] {
        &self.dense
    }

    /// Bytes of the block.
    pub(super) fn dense_bytes(&self) -> usize {
        self.size * size_of::<f32>()
    }

    /// Bytes of the entries; of the block where there are none.
    pub(super) fn sparse_bytes(&self) -> usize {
        match self.mode {
            StorageMode::Hybrid => self.entries.len() * size_of::<Entry>(),
            StorageMode::Dense => self.dense_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, Observation, StorageMode};

    #[test]
    fn a_hybrid_observation_is_built_again_only_when_it_changed() {
        let mut hybrid = Observation::new(StorageMode::Hybrid, 3);
        assert_eq!(hybrid.update(&[(4, 1.0)]), Kept::Rebuilt);
        assert_eq!(hybrid.update(&[(4, 1.0)]), Kept::Hit);
        assert_eq!(hybrid.update(&[(5, 2.0)]), Kept::Rebuilt);
        assert_eq!((hybrid.dense()[4], hybrid.dense()[5]), (0.0, 2.0));
        let mut dense = Observation::new(StorageMode::Dense, 3);
        assert_eq!(dense.update(&[(4, 1.0)]), Kept::Rebuilt);
        assert_eq!(dense.update(&[(4, 1.0)]), Kept::Rebuilt);
        assert!(hybrid.sparse_bytes() < dense.sparse_bytes());
    }
}
