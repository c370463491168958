//! `import`: another tool's results as a run that is kept. Importing again adds what is new.

use super::keep::{Keeping, digest};
use super::open::name_of;
use super::points::PointFiles;
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_interop::{Collected, Foreign, Mapping, Scope, Source};
use fairtrial_journal::{
    Durability, Import, ImportSource, RunDir, is_there, list_runs, resolved_spec, views,
};
use fairtrial_model::Access;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is imported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportQuestion {
    /// Files, folders, or one address.
    pub sources: Vec<String>,
    /// The run's name; absent for that of the first source.
    pub name: Option<String>,
    /// What the user says about them.
    pub mapping: Mapping,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// The benchmark.
    pub name: String,
    /// Its run.
    pub stamp: String,
    /// The run's folder.
    pub folder: PathBuf,
    /// Trials that are new.
    pub added: usize,
    /// Trials that went on since they were imported, and were replaced.
    pub renewed: usize,
    /// What was there already.
    pub known: usize,
}

impl Session {
    /// Imports results: into the newest run of the name that was imported from the same format, else into a new one.
    pub fn import(&self, question: &ImportQuestion) -> Result<Imported, SessionError> {
        let first = question.sources.first().map_or("", String::as_str);
        let source = Source::of(&question.sources, &question.mapping)?;
        let format = source.format()?.name();
        let name = question.name.clone().unwrap_or_else(|| name_of(first));
        let root = self.data_root();
        let staging = root.path().join(format!(".import-{}", std::process::id()));
        let (files, written) = PointFiles::new(staging);
        let into = Collected::handing_on(Box::new(files));
        let read = self.read_foreign((first, source), into, (&question.mapping, Scope::Alone));
        let kept = read.and_then(|foreign| {
            written
                .check()
                .map_err(|error| SessionError::Machine(format!("curves: {error}")))?;
            let run = match self.imported_run(&name, format)? {
                Some(run) => same_roles(&run, &foreign).map(|()| run)?,
                None => RunDir::create(&root, &name, Access::Owner, (self.caller().now)())?,
            };
            let keeping = Keeping {
                foreign: &foreign,
                points: Some(&written),
                sources: sources(&foreign)?,
                durability: Durability::Content,
            };
            let taken = self.keep(&run, &keeping)?;
            views::write_all(&run, &resolved_spec(&run)?, Durability::Process)?;
            Ok(Imported {
                name,
                stamp: run.stamp().to_string(),
                folder: run.path().to_owned(),
                added: taken.added,
                renewed: taken.renewed,
                known: taken.known,
            })
        });
        written.remove();
        kept
    }

    /// The newest run of a name that was imported from a format.
    fn imported_run(&self, name: &str, format: &str) -> Result<Option<RunDir>, SessionError> {
        let mut runs = list_runs(&self.data_root())?;
        runs.retain(|run| run.name() == name);
        runs.sort_by_key(RunDir::stamp);
        for run in runs.into_iter().rev() {
            let import = Import::of(&run)?;
            if import.is_some_and(|import| import.format == format) && is_there(&run.journal())? {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }
}

/// The same fields must have the same parts: one trial under two names would be counted twice.
fn same_roles(run: &RunDir, foreign: &Foreign) -> Result<(), SessionError> {
    let Some(earlier) = Import::of(run)? else {
        return Ok(());
    };
    for line in &foreign.lines {
        let before = earlier.roles.iter().find(|role| role.role == line.role);
        let before = before.map_or("nothing", |role| role.fields.as_str());
        if before != line.fields {
            return Err(SessionError::OtherRoles {
                run: run.into(),
                role: line.role,
                before: before.to_owned(),
                now: line.fields.clone(),
            });
        }
    }
    Ok(())
}

/// The files by their digests.
fn sources(foreign: &Foreign) -> Result<Vec<ImportSource>, SessionError> {
    let mut found = Vec::new();
    for path in foreign.source.paths() {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        each_file(&path, &mut found).map_err(|error| {
            SessionError::Input(format!("cannot read {}: {error}", path.display()))
        })?;
    }
    if found.is_empty() {
        found.push(ImportSource {
            path: foreign.name.clone(),
            sha256: None,
        });
    }
    Ok(found)
}

fn each_file(path: &Path, found: &mut Vec<ImportSource>) -> std::io::Result<()> {
    if !path.is_dir() {
        found.push(ImportSource {
            path: path.display().to_string(),
            sha256: Some(digest(path)?),
        });
        return Ok(());
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    entries
        .iter()
        .filter(|entry| !entry.is_symlink() && (entry.is_dir() || entry.is_file()))
        .try_for_each(|entry| each_file(entry, found))
}
