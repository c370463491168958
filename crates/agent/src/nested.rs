//! Repositories inside of a workspace, which an agent or a setup made. Git would note each of them as one name and not see
//! the files in it, so they are put aside while it looks, and with them what it must not read.

use crate::error::{AgentError, At};
use std::fs;
use std::path::{Path, PathBuf};

/// What was put aside of a workspace.
pub(crate) struct Aside {
    folder: PathBuf,
    /// Where each stood, by its number in the folder.
    places: Vec<PathBuf>,
}

impl Aside {
    /// Puts these names aside: beside the workspace, where they go with it whatever comes.
    pub(crate) fn put<'a>(
        workspace: &Path,
        names: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Result<Self, AgentError> {
        let mut aside = Self {
            folder: workspace.with_file_name("nested"),
            places: Vec::new(),
        };
        for name in names {
            aside.take(workspace.join(name))?;
        }
        Ok(aside)
    }

    fn take(&mut self, place: PathBuf) -> Result<(), AgentError> {
        if self.places.is_empty() {
            fs::create_dir(&self.folder).at("create", &self.folder)?;
        }
        let away = self.away(self.places.len());
        fs::rename(&place, away).at("rename", &place)?;
        self.places.push(place);
        Ok(())
    }

    fn away(&self, number: usize) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// Puts them back.
    pub(crate) fn restore(self) -> Result<(), AgentError> {
        for (number, place) in self.places.iter().enumerate() {
            fs::rename(self.away(number), place).at("rename", place)?;
        }
        if self.places.is_empty() {
            return Ok(());
        }
        fs::remove_dir(&self.folder).at("remove", &self.folder)
    }
}
