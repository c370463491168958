//! Files that may be named as they stand in a revision of their repository: `FILE@REVISION`.

use crate::data_root::absolute;
use crate::error::SessionError;
use fairtrial_process::ProcessError;
use fairtrial_process::git::Git;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The text of `FILE@REVISION`, for commands that read tables as data.
pub(crate) fn revision_text(name: &str) -> Result<String, SessionError> {
    let place = FileAt::of(name);
    let bytes = place.read(&place.path)?;
    String::from_utf8(bytes).map_err(|_| SessionError::Input(format!("{name} is not UTF-8 text")))
}

/// Where a file is.
pub(crate) struct FileAt {
    pub(crate) path: PathBuf,
    pub(crate) revision: Option<String>,
}

impl FileAt {
    /// A file that is there wins over a revision of the part before its `@`.
    pub(crate) fn of(name: &str) -> Self {
        let whole = Path::new(name);
        match name.rsplit_once('@') {
            Some((file, revision)) if !whole.exists() && !revision.is_empty() => Self {
                path: absolute(Path::new(file)),
                revision: Some(revision.to_owned()),
            },
            _ => Self {
                path: absolute(whole),
                revision: None,
            },
        }
    }

    /// A file of the same place: itself or one beside it.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, SessionError> {
        match &self.revision {
            None => fs::read(path).map_err(|error| unreadable(path, &error)),
            Some(revision) => git_show(path, revision),
        }
    }

    /// The same for one that may be absent; only one that is not there is.
    pub(crate) fn read_if_there(&self, path: &Path) -> Result<Option<Vec<u8>>, SessionError> {
        match &self.revision {
            None => match fs::read(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                read => read.map(Some).map_err(|error| unreadable(path, &error)),
            },
            Some(revision) if git_has(path, revision)? => git_show(path, revision).map(Some),
            Some(_) => Ok(None),
        }
    }
}

/// A file that the system does not let us read.
pub(crate) fn unreadable(path: &Path, error: &io::Error) -> SessionError {
    SessionError::Input(format!("cannot read {}: {error}", path.display()))
}

/// Whether a revision has a file.
fn git_has(path: &Path, revision: &str) -> Result<bool, SessionError> {
    let name = path.file_name().unwrap_or_default();
    let git = git(path, "ls-tree").args(["--name-only", revision, "--"]);
    Ok(!answer(git.args([name]), path, revision)?.is_empty())
}

/// The content of a file in a revision, asked of the `git` program.
fn git_show(path: &Path, revision: &str) -> Result<Vec<u8>, SessionError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let git = git(path, "show").args([format!("{revision}:./{name}")]);
    answer(git, path, revision)
}

/// What `git` says about a file in a revision.
fn answer(git: Git, path: &Path, revision: &str) -> Result<Vec<u8>, SessionError> {
    git.output().map_err(|error| {
        if !matches!(error, ProcessError::Failed { .. }) {
            return SessionError::Machine(error.to_string());
        }
        let said = error.reason();
        let said = said.lines().next().unwrap_or("no answer");
        SessionError::Input(format!("{}@{revision}: git says: {said}", path.display()))
    })
}

/// The `git` program in a file's folder.
pub(crate) fn git(path: &Path, name: &str) -> Git {
    Git::look(path.parent().unwrap_or(Path::new(".")), name)
}
