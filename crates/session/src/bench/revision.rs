//! Revisions of a repository to be timed against each other: each checked out in a folder of its own, built once, and kept for the
//! next bench.

use super::question::BenchQuestion;
use crate::caller::Caller;
use crate::checkout::{check_out, short};
use crate::error::SessionError;
use fairtrial_engine::{Controls, run_beside};
use fairtrial_model::{Sha256, hex};
use fairtrial_process::Program;
use fairtrial_process::git::Git;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Checked-out revisions that are kept; the ones that were used longest ago go. A bisect among a thousand commits needs 12.
const KEPT: usize = 12;
/// What the state of the user's own files is called.
const WORKING_TREE: &str = "working tree";

/// A revision to be timed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Revision {
    /// As it was typed.
    pub(super) name: String,
    /// Absent for the user's own files as they are.
    commit: Option<String>,
}

/// Where revisions come from and go to.
#[derive(Debug)]
pub(super) struct Revisions {
    /// The repository's top.
    top: PathBuf,
    /// The caller's folder in it.
    inside: PathBuf,
    /// Where they are checked out.
    cache: PathBuf,
    pub(super) all: Vec<Revision>,
}

impl Revisions {
    /// Finds out what the names mean; nothing where there are none.
    pub(super) fn of(
        question: &BenchQuestion,
        caller: &Caller,
        cache: PathBuf,
    ) -> Result<Option<Self>, SessionError> {
        if question.revisions.is_empty() {
            return Ok(None);
        }
        let refuse = |why: String| Err(SessionError::Input(why));
        if question.commands.len() != 1 || !question.parameters.is_empty() {
            return refuse(
                "revisions are compared by one command without parameters: `--rev A --rev B -- COMMAND`"
                    .to_owned(),
            );
        }
        let (top, inside) = repository(&caller.folder)?;
        let mut all = Vec::new();
        for name in &question.revisions {
            let commit = commit_of(&top, name)?;
            all.push(Revision {
                name: named(name, &commit),
                commit: Some(commit),
            });
        }
        if all.len() == 1 {
            all.push(Revision {
                name: WORKING_TREE.to_owned(),
                commit: None,
            });
        }
        Ok(Some(Self {
            top,
            inside,
            cache,
            all,
        }))
    }

    /// Checks a revision out and builds it, unless that was done, and says so before; gives the folder that commands run in, and who holds it.
    pub(super) fn ready(
        &self,
        revision: &Revision,
        build: Option<&str>,
        (caller, controls, building): (&Caller, &Controls, &dyn Fn()),
    ) -> Result<(PathBuf, Option<File>), SessionError> {
        let Some(commit) = &revision.commit else {
            let folder = self.top.join(&self.inside);
            run_build(build, &folder, (caller, controls))?;
            return Ok((folder, None));
        };
        let machine = |error: std::io::Error| {
            SessionError::Machine(format!("cannot use {}: {error}", self.cache.display()))
        };
        std::fs::create_dir_all(&self.cache).map_err(machine)?;
        let key = Sha256::digest(format!("{}\n{}", self.top.display(), build.unwrap_or("")));
        let tree = self
            .cache
            .join(format!("{}-{}", short(commit), hex(&key[..4])));
        let beside = |ending: &str| tree.with_extension(ending);
        let lock = File::create(beside("lock")).map_err(machine)?;
        lock.lock().map_err(machine)?;
        let folder = tree.join(&self.inside);
        if !beside("built").exists() {
            building();
            // What an earlier bench left that was cut off.
            remove(&tree).map_err(machine)?;
            let made = check_out(&self.top, commit, &tree)
                .and_then(|()| run_build(build, &folder, (caller, controls)));
            if let Err(error) = made {
                remove(&tree).map_err(machine)?;
                return Err(error);
            }
        }
        // Its age says when it was used last.
        std::fs::write(beside("built"), commit).map_err(machine)?;
        Ok((folder, Some(lock)))
    }

    /// Removes what has not been used for longest.
    pub(super) fn forget_old(&self) {
        let Ok(entries) = std::fs::read_dir(&self.cache) else {
            return;
        };
        let is_mark = |path: &PathBuf| path.extension().is_some_and(|it| it == "built");
        let marks = entries.flatten().map(|entry| entry.path()).filter(is_mark);
        let age =
            |path: PathBuf| Some((path.metadata().and_then(|data| data.modified()).ok()?, path));
        let mut marks: Vec<_> = marks.filter_map(age).collect();
        marks.sort();
        let old = marks.len().saturating_sub(KEPT);
        for (_, mark) in &marks[..old] {
            let lock = mark.with_extension("lock");
            // One that is in use stays.
            let free = File::open(&lock).is_ok_and(|file| file.try_lock().is_ok());
            if free && std::fs::remove_file(mark).is_ok() {
                let _ = remove(&mark.with_extension(""));
                let _ = std::fs::remove_file(lock);
            }
        }
    }
}

/// The top of the repository in which a folder lies, and the folder's place in it.
pub(crate) fn repository(folder: &Path) -> Result<(PathBuf, PathBuf), SessionError> {
    let top = Git::look(folder, "rev-parse").args(["--show-toplevel"]);
    let top = top.line().map_err(|_| {
        SessionError::Input(format!("{} is in no git repository", folder.display()))
    })?;
    let top = PathBuf::from(top);
    let here = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let inside = here.strip_prefix(&top).unwrap_or(Path::new("")).to_owned();
    Ok((top, inside))
}

/// The commit that a revision is.
pub(crate) fn commit_of(folder: &Path, name: &str) -> Result<String, SessionError> {
    let wanted = format!("{name}^{{commit}}");
    let options = ["--verify", "--quiet", "--end-of-options", &wanted];
    let found = Git::look(folder, "rev-parse").args(options).line();
    found.map_err(|_| {
        SessionError::Input(format!(
            "the repository has no revision `{name}`; nothing was run"
        ))
    })
}

/// As it was typed; a whole hash is known by its beginning.
fn named(typed: &str, commit: &str) -> String {
    if typed == commit {
        short(commit).to_owned()
    } else {
        typed.to_owned()
    }
}

fn remove(tree: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(tree) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Runs the command that builds what is checked out in a folder.
pub(crate) fn run_build(
    build: Option<&str>,
    folder: &Path,
    (caller, controls): (&Caller, &Controls),
) -> Result<(), SessionError> {
    let Some(build) = build else { return Ok(()) };
    let argv = ["/bin/sh", "-c", build].map(str::to_owned);
    let program = Program::with_only(&caller.environment, &argv, None).dir(folder);
    Ok(run_beside("build", program, controls)?)
}
