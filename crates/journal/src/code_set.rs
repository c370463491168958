//! What trials ran, kept once per distinct state in the run's folder: files with their hashes, packages with their versions.
//! A file's name is the hash of its content, so that records can name it and nobody can change it unseen.

use crate::atomic::{Durability, write_atomic_bytes};
use crate::error::{At, JournalError};
use crate::run_dir::RunDir;
use fairtrial_model::{Code, Sha256, hex};
use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

/// Names with their hashes or versions.
pub type CodeSet = BTreeMap<String, String>;

/// What every entry of a watched path begins with in a set, so that sets of other paths can be told apart.
pub const WATCHED_ROOT: &str = "watch ";

/// A name in a set, which is as seen from the spec's folder, as a path from the top of the repository; absent for one elsewhere.
pub fn from_top(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut path = folder.to_owned();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// The hash that names a set.
pub fn code_set_hash(set: &CodeSet) -> String {
    hex(&Sha256::digest(text(set))[..16])
}

fn text(set: &CodeSet) -> Vec<u8> {
    serde_json::to_vec_pretty(set).unwrap_or_default()
}

impl RunDir {
    /// The folder of the sets.
    pub fn code(&self) -> PathBuf {
        self.file("code")
    }

    /// Keeps a set under its hash, unless it is there.
    pub fn keep_code_set(&self, hash: &str, set: &CodeSet) -> Result<(), JournalError> {
        let folder = self.code();
        let path = folder.join(format!("{hash}.json"));
        if path.exists() {
            return Ok(());
        }
        std::fs::create_dir_all(&folder).at("create", &folder)?;
        let durability = self.root().durability(Durability::Content);
        write_atomic_bytes(&path, durability, &text(set))
    }

    /// The set of this hash; absent where it is gone, or is not what it was.
    pub fn code_set(&self, hash: &str) -> Option<CodeSet> {
        let is_hash = hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = self.code().join(format!("{hash}.json"));
        let text = is_hash.then(|| std::fs::read(path).ok()).flatten()?;
        let same = hex(&Sha256::digest(&text)[..16]) == hash;
        same.then(|| serde_json::from_slice(&text).ok()).flatten()
    }
}

/// The parts of a record's code that have a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodePart {
    /// The program's own files.
    Program,
    /// The paths that the spec watches.
    Watched,
    /// The Python environment.
    Packages,
    /// The files of a prepared task.
    Task,
}

impl CodePart {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Program, Self::Watched, Self::Packages, Self::Task];

    /// Whether another version of it is other code. Of a task, the trial's identity says that: another form of it is
    /// another trial, and a file in its folder that nobody reads changes nothing.
    pub fn decides(self) -> bool {
        self != Self::Task
    }

    /// The hash of this part.
    pub fn of(self, code: &Code) -> Option<&String> {
        match self {
            Self::Program => code.program.as_ref(),
            Self::Watched => code.watched.as_ref(),
            Self::Packages => code.packages.as_ref(),
            Self::Task => code.task.as_ref(),
        }
    }

    /// What differs between two sets of this part: files by their names, packages with their versions. A file that only
    /// one program has is another program's, and paths that were not watched then say nothing.
    pub fn differences(self, before: &CodeSet, now: &CodeSet) -> Vec<String> {
        let roots = |set: &CodeSet| -> Vec<String> {
            let names = set.keys().filter(|name| name.starts_with(WATCHED_ROOT));
            names.cloned().collect()
        };
        let whole = match self {
            Self::Program => false,
            Self::Watched => roots(before) == roots(now),
            Self::Packages | Self::Task => true,
        };
        let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let differs = |name: &&String| match (before.get(*name), now.get(*name)) {
            (Some(old), Some(new)) => old != new,
            _ => whole,
        };
        let said = |name: &String| {
            let version = |set: &CodeSet| set.get(name).map_or("none", |it| it).to_owned();
            match self {
                Self::Packages => format!("{name} {} → {}", version(before), version(now)),
                Self::Program | Self::Watched | Self::Task => name.clone(),
            }
        };
        names.into_iter().filter(differs).map(said).collect()
    }
}

/// The sets that the records of one run name, each read once.
#[derive(Debug)]
pub struct CodeSets {
    run: RunDir,
    read: HashMap<String, CodeSet>,
}

impl CodeSets {
    /// Those of this run.
    pub fn of(run: &RunDir) -> Self {
        Self {
            run: run.clone(),
            read: HashMap::new(),
        }
    }

    /// One of them; empty where it is not there.
    pub fn get(&mut self, hash: &str) -> &CodeSet {
        let Self { run, read } = self;
        read.entry(hash.to_owned())
            .or_insert_with(|| run.code_set(hash).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::{CodePart, CodeSet, from_top};
    use std::path::{Path, PathBuf};

    fn set(entries: &[(&str, &str)]) -> CodeSet {
        let owned = entries.iter().map(|(k, v)| ((*k).into(), (*v).into()));
        owned.collect()
    }

    #[test]
    fn names_are_found_from_the_top() {
        let found = |name| from_top(Path::new("bench/x"), name);
        assert_eq!(found("../lib/a.py"), Some(PathBuf::from("bench/lib/a.py")));
        assert_eq!(found("/usr/bin/sh"), None);
    }

    #[test]
    fn what_differs_is_named() {
        let before = set(&[("m.py", "1"), ("a.py", "1")]);
        let now = set(&[("m.py", "2"), ("b.py", "1")]);
        assert_eq!(CodePart::Program.differences(&before, &now), ["m.py"]);
        let before = set(&[("watch src/", ""), ("src/a.py", "1")]);
        let now = set(&[("watch src/", ""), ("src/b.py", "1")]);
        assert_eq!(
            CodePart::Watched.differences(&before, &now),
            ["src/a.py", "src/b.py"]
        );
        let more = set(&[("watch data/", ""), ("watch src/", ""), ("src/b.py", "1")]);
        assert!(CodePart::Watched.differences(&now, &more).is_empty());
        let before = set(&[("python", "3.11.2"), ("torch", "2.1.0")]);
        let now = set(&[("python", "3.11.2"), ("torch", "2.2.0"), ("x", "1")]);
        assert_eq!(
            CodePart::Packages.differences(&before, &now),
            ["torch 2.1.0 → 2.2.0", "x none → 1"]
        );
    }
}
