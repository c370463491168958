//! The command line of a trial whose program is this very binary as a driver: one file with what all trials of a task
//! share, written once, and what is the trial's own as an argument.

use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::Task;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Makes the command lines of one kind of driver.
pub(crate) struct DriverLine {
    program: PathBuf,
    /// The hidden argument with which the binary becomes the driver.
    argument: &'static str,
    folder: PathBuf,
    /// The task files that are there, by the task's place in the source.
    written: Mutex<HashMap<usize, PathBuf>>,
}

/// The file in `folder` with what the trials of a task share.
fn task_file(folder: &Path, task: &Task) -> PathBuf {
    folder.join(format!("{}.json", task.place))
}

impl DriverLine {
    pub(crate) fn new(program: &Path, argument: &'static str, folder: PathBuf) -> Self {
        Self {
            program: program.to_owned(),
            argument,
            folder,
            written: Mutex::default(),
        }
    }

    /// The folder of the task files.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Program and arguments for a trial with its `own` part; `shared` is made for the first trial of a task only.
    pub(crate) fn argv<T: Serialize>(
        &self,
        task: &Task,
        shared: impl FnOnce() -> Result<T, String>,
        own: &impl Serialize,
    ) -> Result<Vec<String>, String> {
        let file = self.written_once(task, shared)?;
        let own = serde_json::to_string(own).map_err(|error| error.to_string())?;
        Ok(vec![
            self.program.display().to_string(),
            self.argument.to_owned(),
            file.display().to_string(),
            own,
        ])
    }

    fn written_once<T: Serialize>(
        &self,
        task: &Task,
        shared: impl FnOnce() -> Result<T, String>,
    ) -> Result<PathBuf, String> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = written.get(&task.place) {
            return Ok(path.clone());
        }
        let text = serde_json::to_vec_pretty(&shared()?).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(&self.folder)
            .map_err(|error| format!("{}: {error}", self.folder.display()))?;
        let path = task_file(&self.folder, task);
        write_atomic_bytes(&path, Durability::Process, &text).map_err(|error| error.to_string())?;
        written.insert(task.place, path.clone());
        Ok(path)
    }
}
