//! Files that a repository ignores and an agent made all the same: a task may ask for just those. They are its work as any
//! other, less what programs fill by themselves and what would make a patch too large to be read.

use crate::bulk::{self, LARGEST};
use crate::error::{AgentError, At};
use crate::tree;
use fairtrial_text::count;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Folders that tools fill by themselves, often with very much.
const CACHES: [&str; 17] = [
    "__pycache__",
    "node_modules",
    "target",
    "venv",
    ".venv",
    ".cache",
    ".eggs",
    ".gradle",
    ".hypothesis",
    ".mypy_cache",
    ".next",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".turbo",
    ".yarn",
];
/// Files of one folder of the workspace.
const MOST: usize = 200;

/// What an agent left among the files that its repository ignores.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ignored {
    /// What goes into the diff.
    pub(crate) taken: Vec<PathBuf>,
    /// What does not, in words.
    pub(crate) left: Vec<String>,
    /// Caches, which do not either.
    pub(crate) caches: Vec<String>,
}

impl Ignored {
    /// Sorts what git lists (each name ended by a 0), found in `workspace`, which was a copy of `start`.
    pub(crate) fn sort(listed: &[u8], start: &Path, workspace: &Path) -> Result<Self, AgentError> {
        let mut found = Self::default();
        let mut caches: BTreeMap<PathBuf, usize> = BTreeMap::new();
        let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for name in bulk::names(listed) {
            let before = fs::symlink_metadata(start.join(name));
            if let Some(cache) = cache(name) {
                // What the setup put there is the setup's.
                if before.is_err() {
                    *caches.entry(cache).or_default() += 1;
                }
                continue;
            }
            let path = workspace.join(name);
            let data = fs::symlink_metadata(&path).at("look at", &path)?;
            match before {
                Ok(before) => {
                    let files = before.is_file() && data.is_file();
                    // What the setup made could be read then.
                    let same = || tree::same_content(&start.join(name), &path).unwrap_or(false);
                    if files && !same() {
                        let told = format!("{} (of the setup, changed)", name.display());
                        found.left.push(told);
                    }
                }
                Err(_) if data.len() > LARGEST => {
                    let size = fairtrial_text::bytes::size(data.len());
                    found.left.push(format!("{} ({size})", name.display()));
                }
                Err(_) => {
                    let mut parts = name.components();
                    let top = parts.next().filter(|_| parts.next().is_some());
                    let top = top.map(|part| PathBuf::from(part.as_os_str()));
                    folders
                        .entry(top.unwrap_or_default())
                        .or_default()
                        .push(name.to_owned());
                }
            }
        }
        for (folder, names) in folders {
            if names.len() > MOST {
                found.left.push(counted(&folder, names.len()));
            } else {
                found.taken.extend(names);
            }
        }
        found.caches = caches.iter().map(|(name, n)| counted(name, *n)).collect();
        Ok(found)
    }

    /// The taken files as git wants to be told them.
    pub(crate) fn pathspecs(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for name in &self.taken {
            text.extend_from_slice(b":(literal)");
            text.extend_from_slice(name.as_os_str().as_bytes());
            text.push(0);
        }
        text
    }
}

/// The cache that a file lies in.
fn cache(name: &Path) -> Option<PathBuf> {
    let mut place = PathBuf::new();
    for part in name.parent()?.components() {
        place.push(part);
        let is_aiders = part
            .as_os_str()
            .as_bytes()
            .starts_with(b".aider.tags.cache");
        if is_aiders || CACHES.iter().any(|cache| part.as_os_str() == *cache) {
            return Some(place);
        }
    }
    None
}

fn counted(folder: &Path, files: usize) -> String {
    format!("{}/ ({})", folder.display(), count::counted(files, "file"))
}

#[cfg(test)]
mod tests {
    use super::Ignored;
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn caches_and_what_is_too_much_are_left_and_told() {
        let dir = tempfile::tempdir().unwrap();
        let (start, work) = (dir.path().join("start"), dir.path().join("work"));
        for folder in ["node_modules/a", "lib/__pycache__", "many"] {
            fs::create_dir_all(start.join(folder)).unwrap();
            fs::create_dir_all(work.join(folder)).unwrap();
        }
        let mut listed = Vec::new();
        let mut make = |name: &str, before: Option<&str>| {
            fs::write(work.join(name), "now").unwrap();
            if let Some(before) = before {
                fs::write(start.join(name), before).unwrap();
            }
            listed.extend_from_slice(name.as_bytes());
            listed.push(0);
        };
        make("node_modules/a/x.js", Some("now"));
        make("lib/__pycache__/x.pyc", None);
        make("lib/result [1].csv", None);
        make("same.csv", Some("now"));
        make("other.csv", Some("old"));
        for n in 0..=super::MOST {
            make(&format!("many/{n}"), None);
        }
        let found = Ignored::sort(&listed, &start, &work).unwrap();
        assert_eq!(found.taken, [PathBuf::from("lib/result [1].csv")]);
        assert_eq!(found.caches, ["lib/__pycache__/ (1 file)"]);
        let left = ["other.csv (of the setup, changed)", "many/ (201 files)"];
        assert_eq!(found.left, left);
        assert_eq!(found.pathspecs(), b":(literal)lib/result [1].csv\0");
    }
}
