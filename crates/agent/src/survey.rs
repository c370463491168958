//! A walk through a workspace before git looks at it. What git would wait at for ever is gone after it, what its owner may
//! not read is opened, and what would be too much for git, or cannot be read by anybody, is known.

use crate::bulk::{LARGEST, LeftOut, TOGETHER, Why, weight};
use crate::error::{AgentError, At};
use rustix::fs::{Access, access};
use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// What makes a folder a repository.
const GIT: &str = ".git";
/// Files that git reads as a whole wherever they stand.
const RULES: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// What was found, by names below the workspace.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// What makes repositories of folders.
    pub(crate) nested: Vec<PathBuf>,
    /// Rules for git that are too large to be read.
    pub(crate) rules: Vec<LeftOut>,
    /// What cannot be read.
    pub(crate) shut: Vec<LeftOut>,
    /// What all files would weigh in a patch.
    weight: u64,
    largest: u64,
}

impl Survey {
    /// Walks. Pipes, sockets and devices are removed, which are of use to nobody but the program that made them: git
    /// would wait at a `.gitignore` that is one, and refuse a file of the task that became one.
    pub(crate) fn of(workspace: &Path) -> Result<Self, AgentError> {
        let mut survey = Self::default();
        let mut open = vec![PathBuf::new()];
        while let Some(below) = open.pop() {
            let folder = workspace.join(&below);
            let data = fs::symlink_metadata(&folder).at("look at", &folder)?;
            let enter = Access::READ_OK | Access::EXEC_OK;
            // To put something aside it must be written to; one of another owner may not be, and is looked at.
            let is_open = is_let_in(&folder, &data, enter | Access::WRITE_OK);
            if !is_open && !is_let_in(&folder, &data, enter) {
                survey.shut.push(LeftOut::new(below, 0, Why::Shut));
                continue;
            }
            for entry in fs::read_dir(&folder).at("list", &folder)? {
                let name = below.join(entry.at("list", &folder)?.file_name());
                let path = workspace.join(&name);
                let data = fs::symlink_metadata(&path).at("look at", &path)?;
                if name.ends_with(GIT) {
                    // The workspace's own is not looked into.
                    if below != Path::new("") {
                        survey.nested.push(name);
                    }
                } else if data.is_dir() {
                    open.push(name);
                } else if data.is_file() || data.is_symlink() {
                    survey.see(name, &path, &data);
                } else {
                    fs::remove_file(&path).at("remove", &path)?;
                }
            }
        }
        Ok(survey)
    }

    fn see(&mut self, name: PathBuf, path: &Path, data: &Metadata) {
        let bytes = data.len();
        self.weight = self.weight.saturating_add(weight(bytes));
        self.largest = self.largest.max(bytes);
        if data.is_file() && !is_let_in(path, data, Access::READ_OK) {
            self.shut.push(LeftOut::new(name, bytes, Why::Shut));
        } else if bytes > LARGEST && RULES.iter().any(|rules| name.ends_with(rules)) {
            self.rules.push(LeftOut::new(name, bytes, Why::Large));
        }
    }

    /// Whether all files can go into a patch, whichever of them an agent changed.
    pub(crate) fn is_harmless(&self) -> bool {
        self.shut.is_empty() && self.largest <= LARGEST && self.weight <= TOGETHER
    }
}

/// Whether this process may do with a file or folder what it must. Its owner is given the right where that is all that is
/// missing: a patch knows no rights but that to run a file.
fn is_let_in(path: &Path, data: &Metadata, wanted: Access) -> bool {
    if access(path, wanted).is_ok() {
        return true;
    }
    let rights = [
        (Access::READ_OK, 0o400),
        (Access::WRITE_OK, 0o200),
        (Access::EXEC_OK, 0o100),
    ];
    let needed = rights.iter().filter(|(right, _)| wanted.contains(*right));
    let owners = needed.fold(0, |all, (_, bit)| all | bit);
    let mode = Permissions::from_mode(data.mode() & 0o7777 | owners);
    fs::set_permissions(path, mode).is_ok() && access(path, wanted).is_ok()
}
