//! Where the files of a run and of its trials lie: in the data root, or where an archive is unpacked while it is read.

use crate::archive::ArchivedRun;
use crate::error::JournalError;
use crate::kept::child_names;
use crate::root::DataRoot;
use crate::run_dir::RunDir;
use fairtrial_model::Stamp;
use std::path::PathBuf;

impl RunDir {
    /// Refuses where it is an archive.
    pub fn open_to_changes(&self) -> Result<(), JournalError> {
        if self.is_archived() {
            return Err(JournalError::Archived {
                name: self.name().to_owned(),
                stamp: self.stamp(),
            });
        }
        Ok(())
    }

    /// Reads an archive whole and checks every hash in it; nothing where the run is a folder.
    pub fn check_archive(&self) -> Result<Option<PathBuf>, JournalError> {
        let check = |archived: &ArchivedRun| archived.check().map(|()| self.archive_file());
        self.archived().map(check).transpose()
    }

    /// Makes sure that its files can be read. The paths that follow lead to them in any case; this says why they do not, where
    /// an archive is damaged.
    pub fn readable(&self) -> Result<(), JournalError> {
        if let Some(archived) = self.archived() {
            archived.with(&self.relative())?;
        }
        Ok(())
    }

    /// The folder in which what its records call `runs/STAMP-INDEX` lies: the data root, or where an archive is unpacked for
    /// the time that it is read. What was taken over lies with the run that made it.
    pub fn home_of(&self, dir: &str) -> PathBuf {
        let made_by = |stamp: Stamp| stamp == self.stamp();
        match (self.archived(), stamp_of_trial(dir)) {
            (None, Some(stamp)) if made_by(stamp) => self.root().path().to_owned(),
            (Some(archived), Some(stamp)) if made_by(stamp) => {
                archived.with_or_unreadable(trial_folder(dir))
            }
            _ => home_in(self.root(), dir),
        }
    }

    /// The folder of a trial, as its record names it, wherever it lies.
    pub fn folder_of(&self, dir: &str) -> PathBuf {
        self.home_of(dir).join(dir)
    }
}

/// The run of this stamp, whatever its name.
pub fn run_with_stamp(root: &DataRoot, stamp: Stamp) -> Result<Option<RunDir>, JournalError> {
    let names = child_names(&root.rollouts_dir())?.into_iter();
    let mut runs = names.map(|name| RunDir::named(root, &name, stamp));
    Ok(runs.find(RunDir::exists))
}

/// The folder in which what a record calls `runs/STAMP-INDEX` lies, where only the data root is known.
pub fn home_in(root: &DataRoot, dir: &str) -> PathBuf {
    let stamp = stamp_of_trial(dir).filter(|_| !root.path().join(dir).exists());
    let run = stamp.and_then(|stamp| run_with_stamp(root, stamp).ok().flatten());
    let archived = run.filter(RunDir::is_archived);
    archived.map_or_else(|| root.path().to_owned(), |run| run.home_of(dir))
}

/// The run that made a folder of a trial, by its name from the data root on.
fn stamp_of_trial(dir: &str) -> Option<Stamp> {
    let name = trial_folder(dir).strip_prefix("runs/")?;
    DataRoot::trial_named(name).map(|(stamp, _)| stamp)
}

/// The folder of a trial, where something in it is named.
fn trial_folder(path: &str) -> &str {
    let ends = path.match_indices('/').nth(1);
    ends.map_or(path, |(end, _)| &path[..end])
}
