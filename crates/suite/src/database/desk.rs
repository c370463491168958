//! A folder for the databases of one trial, and a new file in it for each measurement.

use fairtrial_experiment::{Context, Failure};
use std::path::PathBuf;
use tempfile::TempDir;

/// The folder, from setup to teardown.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    folder: Option<TempDir>,
    files: u64,
}

impl Desk {
    /// Makes it on the disk that holds the trial: a temporary folder elsewhere may be in memory.
    pub(crate) fn set_up(&mut self, context: &Context) -> Result<(), Failure> {
        let made = tempfile::Builder::new()
            .prefix("database-")
            .tempdir_in(&context.place.dir);
        self.folder = Some(made?);
        Ok(())
    }

    /// A file of this name.
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf, Failure> {
        match &self.folder {
            Some(folder) => Ok(folder.path().join(name)),
            None => Err("there is no folder for the database: `setup` was not called".into()),
        }
    }

    /// A file that no measurement before has used.
    pub(crate) fn new_file(&mut self) -> Result<PathBuf, Failure> {
        self.files += 1;
        self.file(&format!("{}.db", self.files))
    }

    /// Removes all of it.
    pub(crate) fn clear(&mut self) -> Result<(), Failure> {
        Ok(self.folder.take().map_or(Ok(()), TempDir::close)?)
    }
}
