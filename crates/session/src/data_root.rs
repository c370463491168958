//! Where runs are kept: one rule, the same for every call (docs/reference/data-root.md). Where you are decides, and
//! what you named; never where a spec lies, which commands without a spec could not know.

use crate::session::Session;
use crate::unusable_root::{RootReason, UnusableRoot};
use fairtrial_journal::DataRoot;
use std::path::{Path, PathBuf};

/// The variable that names a data root.
pub const DATA_VARIABLE: &str = "FAIRTRIAL_DATA";

/// The data root, and why it is this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRoot {
    /// The data root.
    pub root: DataRoot,
    /// Why.
    pub because: RootReason,
}

impl Session {
    /// The data root.
    pub fn data_root(&self) -> DataRoot {
        self.find_data_root().root
    }

    /// The data root, and why it is this one.
    pub fn find_data_root(&self) -> FoundRoot {
        let caller = self.caller();
        let variable = caller.variable(DATA_VARIABLE).map(Path::new);
        let named = caller.data_dir.as_deref();
        let here = caller.folder.as_path();
        let repository = || here.ancestors().find(|above| above.join(".git").exists());
        let (root, because) = if let Some(path) = named {
            (DataRoot::at(normal(here, path)), RootReason::Named)
        } else if let Some(path) = variable {
            (DataRoot::at(normal(here, path)), RootReason::Variable)
        } else if let Some(root) = DataRoot::find(here) {
            (root, RootReason::HoldsRuns)
        } else if let Some(top) = repository() {
            (DataRoot::at(top.join("data")), RootReason::Repository)
        } else {
            (DataRoot::at(here.join("data")), RootReason::Here)
        };
        FoundRoot { root, because }
    }

    /// Refuses a data root that is something else, and one of another user that nobody named: to resume a run is to run
    /// its programs. One that is not there yet is made by a run.
    pub fn check_data_root(&self) -> Result<(), UnusableRoot> {
        let FoundRoot { root, because } = self.find_data_root();
        let path = root.path().to_owned();
        if path.exists() && !path.is_dir() {
            return Err(UnusableRoot::NotAFolder { path, because });
        }
        let named = matches!(because, RootReason::Named | RootReason::Variable);
        match root.other_owner(&self.owners()).filter(|_| !named) {
            Some(owner) => Err(UnusableRoot::OfAnother { path, owner }),
            None => Ok(()),
        }
    }

    /// The users whose folders are the caller's own: under sudo, as for git, also those of whoever typed it.
    fn owners(&self) -> Vec<u32> {
        let me = rustix::process::geteuid().as_raw();
        let typed = self.caller().variable("SUDO_UID").filter(|_| me == 0);
        let typed = typed.and_then(|text| text.parse().ok());
        std::iter::once(me).chain(typed).collect()
    }
}

/// A path from the root. One that goes up (`../other/data`) becomes the folder that it leads to, so that two ways to
/// write it are one data root.
fn normal(here: &Path, path: &Path) -> PathBuf {
    let whole = here.join(path);
    let goes_up = whole.components().any(|part| part.as_os_str() == "..");
    if !goes_up {
        return whole;
    }
    // What is not there yet has no links to follow.
    let there = whole.ancestors().find_map(|above| {
        let real = std::fs::canonicalize(above).ok()?;
        let rest = whole.strip_prefix(above).ok()?;
        Some(rest.components().fold(real, |path, part| {
            if part.as_os_str() == ".." {
                path.parent().map(Path::to_owned).unwrap_or(path)
            } else {
                path.join(part)
            }
        }))
    });
    there.unwrap_or(whole)
}

/// A path from the root, without touching the disk.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
