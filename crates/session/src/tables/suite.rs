//! Which declarations belong to a table: those of a run, of a spec file, or of a preset.

use super::error::TableError;
use crate::data_root::absolute;
use crate::error::SessionError;
use crate::session::Session;
use crate::spec_file::SpecFile;
use fairtrial_journal::{RunDir, RunState, resolved_spec};
use fairtrial_spec::{FileCheck, Format, LoadOptions, Spec, TableSpec, load_text, preset};
use std::path::{Path, PathBuf};

/// Where declarations are: a spec, or definitions that come with the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuiteChoice {
    /// The suite's spec.
    pub spec: Option<PathBuf>,
    /// A preset instead.
    pub preset: Option<String>,
}

/// A run with its spec.
pub(super) struct SuiteRun {
    pub(super) run: RunDir,
    pub(super) spec: Spec,
}

impl Session {
    /// The spec that is meant; absent where none was named.
    pub(super) fn suite(&self, choice: &SuiteChoice) -> Result<Option<Spec>, SessionError> {
        if let Some(path) = &choice.spec {
            let spec = self.spec(&SpecFile::new(path), FileCheck::Ignore)?;
            return Ok(Some((*spec).clone()));
        }
        choice.preset.as_deref().map(of_preset).transpose()
    }

    /// Opens the run that a word names: `NAME`, `NAME/STAMP` or a run's folder.
    pub(super) fn suite_run(&self, name: &str) -> Result<SuiteRun, SessionError> {
        let run = self.run_named(name)?.ok_or_else(|| TableError::NoRun {
            name: name.to_owned(),
            root: self.data_root().path().to_owned(),
        })?;
        let spec = resolved_spec(&run)?;
        self.tell_journal(&run, &RunState::read(&run.journal())?);
        Ok(SuiteRun { run, spec })
    }
}

/// A spec that holds nothing but a preset.
fn of_preset(name: &str) -> Result<Spec, SessionError> {
    if preset::text(name).is_none() {
        return Err(TableError::NoPreset {
            name: name.to_owned(),
            known: preset::names().collect(),
        }
        .into());
    }
    let text = format!("include = [\"preset:{name}\"]\ncommand = \"true\"\n");
    let loaded = load_text("preset.toml", &text, Format::Toml, &LoadOptions::default());
    loaded
        .spec
        .ok_or_else(|| SessionError::Machine(format!("the preset `{name}` is broken")))
}

/// The declaration of a table, by its name in the spec or by its file.
pub(super) fn table_for<'s>(
    spec: &'s Spec,
    file: &Path,
    name: Option<&str>,
) -> Result<&'s TableSpec, TableError> {
    let known = || {
        let known = spec.tables.iter();
        known
            .map(|table| format!("{} ({})", table.name, table.file))
            .collect::<Vec<_>>()
    };
    if let Some(name) = name {
        let found = spec.tables.iter().find(|table| table.name == name);
        return found.ok_or_else(|| TableError::NoTable {
            spec: spec.source.clone(),
            name: name.to_owned(),
            known: known(),
        });
    }
    let path = absolute(file);
    let declared = |table: &TableSpec| absolute(&Path::new(&spec.base_dir).join(&table.file));
    let same_file = |table: &TableSpec| {
        let there = std::fs::canonicalize(declared(table)).ok();
        there.is_some() && there == std::fs::canonicalize(&path).ok()
    };
    let same_end = |table: &TableSpec| path.ends_with(table.file.trim_start_matches("./"));
    let same_name = |table: &TableSpec| Path::new(&table.file).file_name() == path.file_name();
    let tests: [&dyn Fn(&TableSpec) -> bool; 3] = [&same_file, &same_end, &same_name];
    for test in tests {
        let mut fitting = spec.tables.iter().filter(|table| test(table));
        if let (Some(one), None) = (fitting.next(), fitting.next()) {
            return Ok(one);
        }
    }
    Err(TableError::Undeclared {
        spec: spec.source.clone(),
        file: file.to_owned(),
        known: known(),
    })
}

/// The tables that some task feeds, with their files.
pub(super) fn fed(spec: &Spec) -> Vec<(&TableSpec, PathBuf)> {
    let is_fed = |table: &&TableSpec| {
        let mut feeds = spec.tasks.iter().filter_map(|task| task.feeds.as_ref());
        feeds.any(|feeds| feeds.table == table.name)
    };
    let path = |table: &TableSpec| Path::new(&spec.base_dir).join(&table.file);
    spec.tables
        .iter()
        .filter(is_fed)
        .map(|table| (table, path(table)))
        .collect()
}
