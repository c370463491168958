//! The files of a task's folders.

use crate::error::{AgentError, At};
use crate::findings::Findings;
use crate::paths::is_inside;
use crate::task_file::FileBody;
use fairtrial_spec::{Format, read_table};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The text of a file, where there is one.
pub(super) fn read_optional(path: &Path) -> Result<Option<String>, AgentError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at("read", path),
    }
}

/// The files that an image is built from, without what the agent must not see.
pub(super) fn image_files(
    dir: &Path,
    hidden: &[&str],
    findings: &mut Findings,
) -> Result<BTreeMap<String, FileBody>, AgentError> {
    let mut files = BTreeMap::new();
    for found in walk(dir)? {
        match found.name() {
            Some(name) if hidden.contains(&name) => {}
            Some(name) => {
                files.insert(name.to_owned(), found.read()?);
            }
            None => findings.warn(format!(
                "{} is left out of what its image is built from: it is neither a file nor a folder with a plain name",
                found.path.display()
            )),
        }
    }
    Ok(files)
}

/// Takes in every file below a folder, where there is one. Links are refused: a task is what lies in its folder.
pub(super) fn read_folder(
    folder: &Path,
    into: &mut BTreeMap<String, FileBody>,
) -> Result<(), AgentError> {
    if !folder.is_dir() {
        return Ok(());
    }
    for found in walk(folder)? {
        let Some(name) = found.name() else {
            return Err(AgentError::Content {
                path: found.path,
                message: "it is neither a file nor a folder with a plain name".to_owned(),
            });
        };
        into.insert(name.to_owned(), found.read()?);
    }
    Ok(())
}

/// Something below a folder that is no folder.
struct Found {
    path: PathBuf,
    below: PathBuf,
    data: Metadata,
}

impl Found {
    /// Its path below the folder, where it is a plain file.
    fn name(&self) -> Option<&str> {
        let name = self.below.to_str().filter(|name| is_inside(name));
        name.filter(|_| self.data.is_file())
    }

    fn read(&self) -> Result<FileBody, AgentError> {
        let executable = self.data.permissions().mode() & 0o111 != 0;
        let bytes = fs::read(&self.path).at("read", &self.path)?;
        Ok(FileBody::new(bytes, executable))
    }
}

fn walk(folder: &Path) -> Result<Vec<Found>, AgentError> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).at("list", &next)? {
            let path = entry.at("list", &next)?.path();
            let data = fs::symlink_metadata(&path).at("look at", &path)?;
            if data.is_dir() {
                // The workspace gets a history of its own, which begins at the baseline.
                if path.file_name() != Some(OsStr::new(".git")) {
                    open.push(path);
                }
                continue;
            }
            let below = path.strip_prefix(folder).unwrap_or(&path).to_owned();
            found.push(Found { path, below, data });
        }
    }
    Ok(found)
}

/// The file that says what a task is.
pub(super) fn read_config<T: DeserializeOwned>(
    path: &Path,
    format: Format,
) -> Result<T, AgentError> {
    let content = |message: String| AgentError::Content {
        path: path.to_owned(),
        message,
    };
    let text = fs::read_to_string(path).at("read", path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let table = read_table(&name, &text, format).map_err(content)?;
    serde_json::from_value(table).map_err(|error| content(error.to_string()))
}
