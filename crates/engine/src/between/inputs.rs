//! The files that trials work with, as one archive: what git tracks, and what the spec says to carry.

use fairtrial_model::{Sha256, hex};
use fairtrial_process::git::Git;
use fairtrial_store::{StoreError, pack};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// Most bytes of inputs: more belongs into an image, or a store of the user's.
const MOST: u64 = 1 << 30;

/// Which files travel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// The folder above all of them.
    top: PathBuf,
    /// The spec's folder below it.
    pub(crate) base_dir: String,
    /// Below it.
    files: Vec<PathBuf>,
}

/// Why they cannot travel.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputsError {
    /// Neither git nor the spec names one.
    #[error(
        "{}: no git repository tracks a file here, and `engine.carry` names none: nothing would travel to the nodes. \
         `git init` and `git add` the project, or name its files in `engine.carry`", .0.display()
    )]
    None(PathBuf),
    /// It lies elsewhere.
    #[error("`engine.carry`: `{0}` is not below {top}, the folder that travels", top = .1.display())]
    Outside(String, PathBuf),
    /// It is not there.
    #[error("`engine.carry`: `{0}` is not there")]
    NotThere(String),
    /// They are too large.
    #[error(
        "the files that would travel have more than 1 GiB (first left out: `{0}`): keep large data in an image or in a \
         bucket of yours"
    )]
    TooLarge(String),
    /// They cannot be read.
    #[error(transparent)]
    Files(#[from] StoreError),
}

impl Inputs {
    /// Looks which files there are; `data` is the folder with results, which never travels.
    pub(crate) fn find(
        base_dir: &Path,
        carry: &[String],
        data: &Path,
    ) -> Result<Self, InputsError> {
        let base = base_dir.canonicalize().map_err(|source| StoreError::File {
            path: base_dir.to_owned(),
            action: "find",
            source,
        })?;
        let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
        // Where git is not, or the folder is in no repository, only what the spec names travels.
        let top = Git::look(&base, "rev-parse").args(["--show-toplevel"]);
        let top = top.line().ok().map(PathBuf::from);
        let tracked = top.as_ref().and_then(|top| {
            let listed =
                Git::look(top, "ls-files").args(["-z", "--cached", "--recurse-submodules"]);
            listed.output().ok()
        });
        let top = top
            .filter(|_| tracked.is_some())
            .unwrap_or_else(|| base.clone());
        let mut files = BTreeSet::new();
        for name in tracked.unwrap_or_default().split(|byte| *byte == 0) {
            let name = PathBuf::from(std::ffi::OsStr::from_bytes(name));
            let path = top.join(&name);
            // What was removed and not committed is not there.
            if !name.as_os_str().is_empty()
                && path.symlink_metadata().is_ok()
                && !path.starts_with(&data)
            {
                files.insert(name);
            }
        }
        for name in carry {
            let path = plain(&base.join(name));
            let Ok(below) = path.strip_prefix(&top) else {
                return Err(InputsError::Outside(name.clone(), top));
            };
            if path.symlink_metadata().is_err() {
                return Err(InputsError::NotThere(name.clone()));
            }
            add(&top, below, &data, &mut files).map_err(|source| StoreError::File {
                path: path.clone(),
                action: "read",
                source,
            })?;
        }
        if files.is_empty() {
            return Err(InputsError::None(base));
        }
        let base_dir = base.strip_prefix(&top).unwrap_or(Path::new(""));
        Ok(Self {
            base_dir: base_dir.display().to_string(),
            files: files.into_iter().collect(),
            top,
        })
    }

    /// The archive, and its hash.
    pub(crate) fn pack(&self) -> Result<(Vec<u8>, String), InputsError> {
        let packed = pack(&self.top, &self.files, MOST)?;
        if let Some(name) = packed.left_out.into_iter().next() {
            return Err(InputsError::TooLarge(name));
        }
        let hash = hex(&Sha256::digest(&packed.bytes));
        Ok((packed.bytes, hash))
    }
}

/// Adds a file, or all files below a folder but git's own and the results.
fn add(top: &Path, name: &Path, data: &Path, files: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let path = top.join(name);
    if path.starts_with(data) || path.file_name().is_some_and(|name| name == ".git") {
        return Ok(());
    }
    if !path.symlink_metadata()?.is_dir() {
        files.insert(name.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(&path)? {
        add(top, &name.join(entry?.file_name()), data, files)?;
    }
    Ok(())
}

/// A path without `.` and `..`, by its letters alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{Inputs, InputsError};
    use fairtrial_process::git::Git;
    use std::fs;
    use std::path::Path;

    fn names(inputs: &Inputs) -> Vec<&str> {
        inputs
            .files
            .iter()
            .map(|name| name.to_str().unwrap())
            .collect()
    }

    #[test]
    fn what_git_tracks_travels_and_what_is_named() {
        let top = tempfile::tempdir().unwrap();
        let base = top.path().join("bench");
        for (name, text) in [
            ("bench/run.sh", "now"),
            ("bench/gone", "x"),
            ("lib/a", "x"),
            ("secret", "x"),
            ("bench/models/m/w", "x"),
            ("bench/data/runs/r", "x"),
        ] {
            let path = top.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let find = |carry: &[&str]| {
            let carry: Vec<String> = carry.iter().map(|name| (*name).to_owned()).collect();
            Inputs::find(&base, &carry, &base.join("data"))
        };
        assert!(matches!(find(&[]), Err(InputsError::None(_))));
        assert_eq!(
            names(&find(&["run.sh", "."]).unwrap()),
            ["gone", "models/m/w", "run.sh"]
        );
        let git = |args: &[&str]| {
            let place = ["-C", top.path().to_str().unwrap()];
            let done = std::process::Command::new("git")
                .args(place)
                .args(args)
                .output();
            assert!(done.unwrap().status.success(), "{args:?}");
        };
        git(&["init", "-q"]);
        git(&["add", "bench/run.sh", "bench/gone", "lib/a"]);
        fs::remove_file(base.join("gone")).unwrap();
        let found = find(&["./models"]).unwrap();
        assert_eq!(names(&found), ["bench/models/m/w", "bench/run.sh", "lib/a"]);
        assert_eq!(found.base_dir, "bench");
        assert_eq!(
            found.pack().unwrap(),
            find(&["models"]).unwrap().pack().unwrap()
        );
        assert!(matches!(find(&["../../x"]), Err(InputsError::Outside(..))));
        assert!(matches!(find(&["none"]), Err(InputsError::NotThere(_))));
        assert!(Git::look(Path::new(&base), "status").run().is_ok());
    }
}
