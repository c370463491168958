//! The source that a run's trials ran: which commit and changes, whether they can be had, and how they are laid out again.

use crate::checkout::check_out;
use crate::error::SessionError;
use fairtrial_journal::provenance::{Changes, Environment, Vcs, hash_of_file};
use fairtrial_journal::{CodePart, CodeSets, RunDir, from_top};
use fairtrial_model::{Code, Record};
use fairtrial_process::git::Git;
use fairtrial_spec::Spec;
use fairtrial_text::count::{counted, first_of};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// As many names are told of.
const NAMED: usize = 5;

/// The source as it was laid out again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SourceAgain {
    /// The commit.
    pub commit: String,
    /// Size of the kept patch; 0 where nothing was changed.
    pub patch_bytes: usize,
    /// Untracked files that were there and are again.
    pub untracked: Vec<String>,
    /// Untracked files that are not there any more, or not as they were. No trial is known to have run them.
    pub left_out: Vec<String>,
}

/// Where everything comes from.
#[derive(Debug)]
pub(super) struct Source {
    commit: String,
    changes: Option<Changes>,
    /// The repository that has the commit.
    top: PathBuf,
    /// The spec's folder in it.
    folder: PathBuf,
    /// The top of the work tree that the run ran in.
    ran_in: PathBuf,
    /// Untracked files, and where they are to be had; absent for ones that are made as empty.
    untracked: Vec<(String, Option<PathBuf>)>,
    left_out: Vec<String>,
}

/// What is looked at to find it.
pub(super) struct Evidence<'a> {
    pub(super) run: &'a RunDir,
    pub(super) spec: &'a Spec,
    pub(super) environment: Option<&'a Environment>,
    /// The records of the trials that are to run again.
    pub(super) records: &'a [Record],
    /// SHA-256 of the spec's text, which the run keeps.
    pub(super) spec_sha256: &'a str,
}

impl Source {
    /// Finds it, in the repository that the run ran in or the one around `here`; or all that is in the way.
    pub(super) fn find(evidence: &Evidence<'_>, here: &Path) -> Result<Self, Vec<String>> {
        let state = match evidence.environment.map(|environment| &environment.vcs) {
            Some(Vcs::Git(state)) => state,
            Some(Vcs::Unknown { reason }) => {
                return Err(vec![format!("its source is in no repository ({reason})")]);
            }
            None => return Err(vec!["it does not say where it ran".to_owned()]),
        };
        let said = || (state.commit.clone(), state.changes_name());
        let (commit, changes) = one_state(evidence.records)?.unwrap_or_else(said);
        let Some(commit) = commit else {
            return Err(vec!["its repository had no commit".to_owned()]);
        };
        let changes = changes.map(|name| kept_changes(evidence.run, &name));
        let changes = changes.transpose().map_err(|why| vec![why])?;
        let base = Path::new(&evidence.spec.base_dir);
        let Some(top) = [base, here]
            .into_iter()
            .find_map(|at| top_with(at, &commit))
        else {
            return Err(vec![format!(
                "no repository here has the commit {commit}; call this in a clone that has it"
            )]);
        };
        let inside = base.strip_prefix(&top).ok().map(Path::to_owned);
        let Some(folder) = state.folder.as_ref().map(PathBuf::from).or(inside) else {
            return Err(vec![
                "it does not say in which folder of the repository its spec lies".to_owned(),
            ]);
        };
        if !stays_inside(&folder) {
            return Err(vec!["its folder is outside of the repository".to_owned()]);
        }
        let up = folder.components().count();
        let mut source = Self {
            ran_in: base.ancestors().nth(up).unwrap_or(base).to_owned(),
            commit,
            changes,
            top,
            folder,
            untracked: Vec::new(),
            left_out: Vec::new(),
        };
        source.find_untracked(evidence)?;
        Ok(source)
    }

    /// Untracked files are taken from the work tree, where they are as they were.
    fn find_untracked(&mut self, evidence: &Evidence<'_>) -> Result<(), Vec<String>> {
        let Some(changes) = &self.changes else {
            return Ok(());
        };
        let ran = files_that_ran(evidence, &self.folder);
        let mut lacking = Vec::new();
        for (name, file) in &changes.untracked {
            let there = self.top.join(name);
            let hash = || {
                fs::symlink_metadata(&there)
                    .ok()?
                    .is_file()
                    .then(|| hash_of_file(&there).ok())?
            };
            if !stays_inside(Path::new(name)) {
                self.left_out.push(name.clone());
            } else if file.is_empty() {
                self.untracked.push((name.clone(), None));
            } else if file.sha256.is_some() && hash() == file.sha256 {
                self.untracked.push((name.clone(), Some(there)));
            } else if file.sha256.as_deref() == Some(evidence.spec_sha256) {
                // The run keeps the spec.
            } else if ran.contains(Path::new(name)) {
                lacking.push(name.clone());
            } else {
                self.left_out.push(name.clone());
            }
        }
        if lacking.is_empty() {
            return Ok(());
        }
        Err(vec![format!(
            "{} that trials ran, of which only the hash is kept, {} not as then in {}: {}",
            counted(lacking.len() as u64, "untracked file"),
            if lacking.len() == 1 { "is" } else { "are" },
            self.top.display(),
            first_of(&lacking, NAMED)
        )])
    }

    /// Lays it out in a folder, which must not be there yet; gives the spec's folder in it.
    pub(super) fn lay_out(&self, tree: &Path) -> Result<PathBuf, SessionError> {
        check_out(&self.top, &self.commit, tree)?;
        let patch = self.changes.as_ref().map_or(&[][..], Changes::text);
        if !patch.is_empty() {
            let apply = Git::users("apply").dir(&tree.join(".git")).work_tree(tree);
            let apply = apply.args(["--binary", "--whitespace=nowarn", "-"]);
            apply.input(patch.to_vec()).run().map_err(|error| {
                SessionError::Machine(format!("the kept patch cannot be applied: {error}"))
            })?;
        }
        let folder = tree.join(&self.folder);
        let laid = self.lay_out_untracked(tree);
        laid.and_then(|()| fs::create_dir_all(&folder))
            .map_err(|error| {
                SessionError::Machine(format!("cannot fill {}: {error}", tree.display()))
            })?;
        Ok(folder)
    }

    fn lay_out_untracked(&self, tree: &Path) -> std::io::Result<()> {
        for (name, from) in &self.untracked {
            let to = tree.join(name);
            if to.exists() {
                continue;
            }
            if let Some(above) = to.parent() {
                fs::create_dir_all(above)?;
            }
            match from {
                Some(from) => fs::copy(from, &to).map(drop)?,
                None => fs::File::create_new(&to).map(drop)?,
            }
        }
        Ok(())
    }

    /// The spec with this tree in the place of the one that it was read in.
    pub(super) fn moved(&self, spec: &Spec, tree: &Path) -> Result<Spec, SessionError> {
        let broken = |error: serde_json::Error| SessionError::Broken(error.to_string());
        let mut value = serde_json::to_value(spec).map_err(broken)?;
        let (from, to) = (
            self.ran_in.display().to_string(),
            tree.display().to_string(),
        );
        move_texts(&mut value, &from, &to);
        serde_json::from_value(value).map_err(broken)
    }

    /// What it came from, for people.
    pub(super) fn told(&self) -> SourceAgain {
        SourceAgain {
            commit: self.commit.clone(),
            patch_bytes: self.changes.as_ref().map_or(0, |it| it.text().len()),
            untracked: self
                .untracked
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            left_out: self.left_out.clone(),
        }
    }
}

/// A commit, and the name of what was changed since.
type State = (Option<String>, Option<String>);

/// The one state that trials ran; nothing where none is known.
fn one_state(records: &[Record]) -> Result<Option<State>, Vec<String>> {
    let of = |code: &Code| (code.commit.clone(), code.patch.clone());
    let known = records.iter().filter_map(|record| record.code.as_ref());
    let states: BTreeSet<State> = known.filter(|it| it.commit.is_some()).map(of).collect();
    match states.len() {
        0 | 1 => Ok(states.into_iter().next()),
        several => Err(vec![format!(
            "its trials ran {several} states of the source, and only one can be laid out (`--trial N` runs one trial again)"
        )]),
    }
}

/// The changes of this name; why they are of no use.
fn kept_changes(run: &RunDir, name: &str) -> Result<Changes, String> {
    let Some(changes) = run.changes(name) else {
        return Err(format!("its uncommitted changes {name} were not kept"));
    };
    if run
        .changed_changes()
        .iter()
        .any(|file| file.starts_with(name))
    {
        return Err(format!(
            "its uncommitted changes in code/{name}.patch are not as they were kept"
        ));
    }
    match changes.patch_lacks() {
        Some(why) => Err(why.to_owned()),
        None => Ok(changes),
    }
}

/// The top of the repository around a folder, where it has this commit.
fn top_with(folder: &Path, commit: &str) -> Option<PathBuf> {
    let folder = folder.ancestors().find(|at| at.is_dir())?;
    let top = Git::look(folder, "rev-parse").args(["--show-toplevel"]);
    let top = PathBuf::from(top.line().ok()?);
    let wanted = format!("{commit}^{{commit}}");
    let has = Git::look(&top, "cat-file").args(["-e", &wanted]);
    has.run().ok().map(|()| top)
}

/// Whether a path from a record leads nowhere else than down.
fn stays_inside(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Component::Normal(_)))
}

/// The files of the repository that trials are known to have run, or that the spec watches.
fn files_that_ran(evidence: &Evidence<'_>, folder: &Path) -> BTreeSet<PathBuf> {
    let mut sets = CodeSets::of(evidence.run);
    let mut files = BTreeSet::new();
    for code in evidence
        .records
        .iter()
        .filter_map(|record| record.code.as_ref())
    {
        for part in [CodePart::Program, CodePart::Watched] {
            if let Some(hash) = part.of(code) {
                files.extend(
                    sets.get(hash)
                        .keys()
                        .filter_map(|name| from_top(folder, name)),
                );
            }
        }
    }
    files
}

/// Replaces a folder at the beginning of every text that is a path into it.
fn move_texts(value: &mut serde_json::Value, from: &str, to: &str) {
    use serde_json::Value;
    match value {
        Value::String(text) => {
            let rest = text.strip_prefix(from);
            if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
                *text = format!("{to}{rest}");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|it| move_texts(it, from, to)),
        Value::Object(map) => map.values_mut().for_each(|it| move_texts(it, from, to)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{move_texts, stays_inside};
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn paths_into_the_old_tree_lead_into_the_new_one() {
        let mut value = json!({ "a": ["/old/x", "/older/x", "say /old"], "b": { "c": "/old" } });
        move_texts(&mut value, "/old", "/new");
        let moved = json!({ "a": ["/new/x", "/older/x", "say /old"], "b": { "c": "/new" } });
        assert_eq!(value, moved);
    }

    #[test]
    fn only_names_below_are_used() {
        assert!(!stays_inside(Path::new("../x")) && !stays_inside(Path::new("/x")));
        assert!(stays_inside(Path::new("")) && stays_inside(Path::new("a/b")));
    }
}
