//! The folders of results that are read where they lie; they last as long as the session.

use crate::error::SessionError;
use fairtrial_interop::Mapping;
use fairtrial_journal::{DataRoot, RunDir};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// What the user says about other tools' results, and the folders of those that were read.
#[derive(Debug, Default)]
pub(crate) struct InPlace {
    mapping: Mapping,
    folders: Mutex<Vec<TempDir>>,
}

impl InPlace {
    pub(crate) fn new(mapping: Mapping) -> Self {
        Self {
            mapping,
            folders: Mutex::default(),
        }
    }

    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// A data root for one run.
    pub(super) fn folder(&self) -> Result<DataRoot, SessionError> {
        let failed = |error: std::io::Error| {
            SessionError::Machine(format!("cannot make a temporary folder: {error}"))
        };
        let folder = tempfile::Builder::new().prefix("fairtrial-").tempdir();
        let folder = folder.map_err(failed)?;
        let root = DataRoot::passing(folder.path());
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.push(folder);
        Ok(root)
    }

    /// Whether a run lies in such a folder.
    pub(crate) fn holds(&self, run: &RunDir) -> bool {
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut folders = folders.iter();
        folders.any(|folder| run.path().starts_with(folder.path()))
    }
}
