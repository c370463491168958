//! Files that may be named as they stand in a revision of their repository: `FILE@REVISION`.

use crate::data_root::absolute;
use crate::error::SessionError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    let mut command = git(path);
    command.args(["ls-tree", "--name-only", revision, "--"]);
    Ok(!answer(command.arg(name), path, revision)?.is_empty())
}

/// The content of a file in a revision, asked of the `git` program.
fn git_show(path: &Path, revision: &str) -> Result<Vec<u8>, SessionError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut command = git(path);
    answer(
        command.arg("show").arg(format!("{revision}:./{name}")),
        path,
        revision,
    )
}

/// What `git` says about a file in a revision.
fn answer(command: &mut Command, path: &Path, revision: &str) -> Result<Vec<u8>, SessionError> {
    let output = command
        .output()
        .map_err(|error| SessionError::Machine(format!("cannot start git: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next().unwrap_or("no answer").to_owned();
    Err(SessionError::Input(format!(
        "{}@{revision}: git says: {said}",
        path.display()
    )))
}

/// The `git` program in a file's folder.
pub(crate) fn git(path: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(path.parent().unwrap_or(Path::new(".")))
        .stdin(Stdio::null());
    command
}
