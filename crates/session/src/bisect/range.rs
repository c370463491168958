//! The commits between two revisions, along the first parents: what was merged counts as one commit.

use super::commit::BisectCommit;
use super::question::BisectQuestion;
use crate::bench::revision::{commit_of, repository};
use crate::checkout::short;
use crate::error::SessionError;
use fairtrial_process::git::Git;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Between the facts of a commit.
const BETWEEN: char = '\u{1f}';

/// The commits from the good end to the bad one.
#[derive(Debug)]
pub(super) struct Range {
    /// The repository's top.
    pub(super) top: PathBuf,
    /// The caller's folder in it.
    pub(super) inside: PathBuf,
    pub(super) commits: Vec<BisectCommit>,
}

impl Range {
    pub(super) fn of(question: &BisectQuestion, folder: &Path) -> Result<Self, SessionError> {
        let refuse = |why: String| Err(SessionError::Input(why));
        let look = |name| Git::look(folder, name);
        let (top, inside) = repository(folder)?;
        let (good, bad) = (
            commit_of(folder, &question.good)?,
            commit_of(folder, &question.bad)?,
        );
        if good == bad {
            return refuse(format!(
                "`{}` and `{}` are the same commit: there is nothing between them",
                question.good, question.bad
            ));
        }
        let is_before = |a: &str, b: &str| {
            let asked = look("merge-base").args(["--is-ancestor", a, b]);
            asked.run().is_ok()
        };
        if !is_before(&good, &bad) {
            return Err(unrelated(question, folder, is_before(&bad, &good)));
        }
        let between = format!("{good}..{bad}");
        let list = |option: &str| {
            let listed = look("rev-list").args([option, "--reverse", &between]);
            listed.line().map_err(said)
        };
        let after_good = list("--ancestry-path")?;
        let after_good: HashSet<&str> = after_good.lines().collect();
        let first_parents = list("--first-parent")?;
        let inner = first_parents.lines().filter(|it| after_good.contains(it));
        let all: Vec<&str> = std::iter::once(&*good).chain(inner).collect();
        Ok(Self {
            top,
            inside,
            commits: facts(folder, &all)?,
        })
    }

    /// The place of the bad end.
    pub(super) fn last(&self) -> usize {
        self.commits.len() - 1
    }
}

fn said(error: impl std::fmt::Display) -> SessionError {
    SessionError::Machine(error.to_string())
}

/// Why there is no range from the one to the other, and what to type.
fn unrelated(question: &BisectQuestion, folder: &Path, turned: bool) -> SessionError {
    let BisectQuestion { good, bad, .. } = question;
    if turned {
        return SessionError::Input(format!(
            "`{good}` comes after `{bad}`: the earlier revision comes first, `fairtrial bisect {bad} {good}`"
        ));
    }
    let shared = Git::look(folder, "merge-base").args([good, bad]).line();
    let what = match shared {
        Ok(shared) => format!(
            "they share the commit {shared}: see whether that is good by `fairtrial bisect {} {bad}`",
            short(&shared)
        ),
        Err(_) => "they share no commit".to_owned(),
    };
    SessionError::Input(format!("`{good}` is not an ancestor of `{bad}`; {what}"))
}

/// What people know these commits by.
fn facts(folder: &Path, commits: &[&str]) -> Result<Vec<BisectCommit>, SessionError> {
    let form = ["%H", "%P", "%an", "%cs", "%s"].join(&BETWEEN.to_string());
    let mut names = commits.join("\n");
    names.push('\n');
    let shown = Git::look(folder, "log").args([
        "--no-walk=unsorted",
        "--no-show-signature",
        "--stdin",
        &format!("--format={form}"),
    ]);
    let shown = shown.input(names.into_bytes()).line().map_err(said)?;
    let of = |line: &str| {
        let mut parts = line.splitn(5, BETWEEN);
        let mut part = || parts.next().unwrap_or_default().to_owned();
        let (commit, parents, author, date) = (part(), part(), part(), part());
        BisectCommit {
            merge: parents.contains(' '),
            subject: part(),
            commit,
            author,
            date,
        }
    };
    let found: Vec<BisectCommit> = shown.lines().map(of).collect();
    if found.len() != commits.len() {
        let why = "git does not say what the commits of the range are";
        return Err(SessionError::Machine(why.to_owned()));
    }
    Ok(found)
}
