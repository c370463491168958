//! The runs that a data root keeps, by name and stamp, as folders or as archives.

use crate::archive::ENDING;
use crate::error::{At, JournalError};
use crate::root::DataRoot;
use fairtrial_model::Stamp;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How a run is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Folder,
    Archive,
}

/// The file that makes a folder a run's.
pub(crate) const JOURNAL: &str = "journal.jsonl";

pub(crate) fn run_path(root: &DataRoot, name: &str, stamp: Stamp) -> PathBuf {
    root.rollouts_dir().join(name).join(stamp.to_string())
}

pub(crate) fn archive_path(root: &DataRoot, name: &str, stamp: Stamp) -> PathBuf {
    let file = format!("{stamp}{ENDING}");
    root.rollouts_dir().join(name).join(file)
}

/// Whether a run is an archive and no folder. A folder without a journal is not one of a run: the archive is the run.
pub(crate) fn is_archived(root: &DataRoot, name: &str, stamp: Stamp) -> bool {
    archive_path(root, name, stamp).is_file()
        && !run_path(root, name, stamp).join(JOURNAL).is_file()
}

pub(crate) fn check_name(name: &str) -> Result<(), JournalError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(allowed) {
        return Err(JournalError::Name(name.to_owned()));
    }
    Ok(())
}

/// The folders in `dir` that can be names; none where `dir` is not there.
pub(crate) fn child_names(dir: &Path) -> Result<Vec<String>, JournalError> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.at("list", dir)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.at("list", dir)?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if check_name(&name).is_ok() && entry.path().is_dir() {
            names.push(name);
        }
    }
    Ok(names)
}

/// The stamps of the runs in a folder, whether they are folders or archives.
pub(crate) fn stamps_of(folder: &Path) -> Result<Vec<Stamp>, JournalError> {
    let kept = kept_in(folder)?.into_iter();
    Ok(kept.map(|(stamp, _)| stamp).collect())
}

/// The runs in a folder, each once.
pub(crate) fn kept_in(folder: &Path) -> Result<Vec<(Stamp, Form)>, JournalError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.at("list", folder)?,
    };
    let (mut found, mut archives) = (Vec::new(), Vec::new());
    for entry in entries {
        let entry = entry.at("list", folder)?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if let Some(stamp) = name.strip_suffix(ENDING) {
            archives.extend(stamp.parse::<Stamp>().ok());
        } else if let Ok(stamp) = name.parse()
            && entry.path().is_dir()
        {
            found.push((stamp, Form::Folder));
        }
    }
    for stamp in archives {
        let known = found.iter_mut().find(|(known, _)| *known == stamp);
        let is_run =
            |(stamp, _): &(Stamp, Form)| folder.join(stamp.to_string()).join(JOURNAL).is_file();
        match known {
            Some(known) if !is_run(known) => known.1 = Form::Archive,
            Some(_) => {}
            None => found.push((stamp, Form::Archive)),
        }
    }
    Ok(found)
}
