//! Who may look into the folders of a run: they hold what programs printed, and perhaps what nobody else should see.

use serde::{Deserialize, Serialize};

/// Who may read the folders of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Their owner alone.
    #[default]
    Owner,
    /// Others too, as far as the owner's mask lets them.
    Shared,
}

impl Access {
    /// The mode that a folder is made with.
    pub const fn folder_mode(self) -> u32 {
        match self {
            Self::Owner => 0o700,
            Self::Shared => 0o777,
        }
    }

    /// Whether it is what a run has that says nothing about it.
    pub fn is_default(&self) -> bool {
        *self == Self::Owner
    }
}
