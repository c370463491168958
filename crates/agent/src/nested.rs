//! Repositories inside of a workspace, which an agent or a setup made. Git would note each of them as one name and not see
//! the files in it, so they are put aside while it looks. At pipes it would wait for ever: those are gone before.

use crate::error::{AgentError, At};
use std::fs;
use std::path::{Path, PathBuf};

/// What makes a folder a repository.
const GIT: &str = ".git";

/// The repositories of a workspace, put aside.
pub(crate) struct Aside {
    folder: PathBuf,
    /// Where each stood, by its number in the folder.
    places: Vec<PathBuf>,
}

impl Aside {
    /// Puts aside what makes repositories of folders below a workspace: beside it, where it goes with the workspace
    /// whatever comes. Pipes, sockets and devices are removed, which are of use to nobody but the program that made them:
    /// git would wait at a `.gitignore` that is one, and refuse a file of the task that became one.
    pub(crate) fn put(workspace: &Path) -> Result<Self, AgentError> {
        let mut aside = Self {
            folder: workspace.with_file_name("nested"),
            places: Vec::new(),
        };
        let mut open = vec![workspace.to_owned()];
        while let Some(next) = open.pop() {
            for entry in fs::read_dir(&next).at("list", &next)? {
                let entry = entry.at("list", &next)?;
                let path = entry.path();
                if entry.file_name() == GIT {
                    // The workspace's own is not looked into.
                    if next != workspace {
                        aside.take(path)?;
                    }
                    continue;
                }
                let kind = entry.file_type().at("look at", &path)?;
                if kind.is_dir() {
                    open.push(path);
                } else if !kind.is_file() && !kind.is_symlink() {
                    fs::remove_file(&path).at("remove", &path)?;
                }
            }
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
