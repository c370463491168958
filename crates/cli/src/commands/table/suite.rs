//! Which declarations belong to a table: those of a run, of a spec file, or of a preset.

use crate::data_dir;
use crate::data_dir::absolute;
use crate::exit::Failure;
use crate::global::Global;
use crate::printer::Printer;
use crate::sources::run_named;
use crate::spec_file::SpecArgs;
use fairtrial_journal::{RunDir, resolved_spec};
use fairtrial_spec::{FileCheck, Format, LoadOptions, Spec, TableSpec, load_text, preset};
use std::path::{Path, PathBuf};

/// Arguments that say where declarations are.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct SuiteArgs {
    /// The suite whose declarations count (columns, directions, margins)
    #[arg(long, value_name = "SPEC")]
    pub(super) spec: Option<PathBuf>,
    /// Definitions that come with the program, instead of a spec
    #[arg(long, value_name = "NAME", conflicts_with = "spec")]
    pub(super) preset: Option<String>,
}

impl SuiteArgs {
    /// The spec that is meant; absent where none was named.
    pub(super) fn spec(&self, printer: Printer) -> Result<Option<Spec>, Failure> {
        if let Some(spec) = &self.spec {
            let args = SpecArgs {
                spec: spec.clone(),
                set: Vec::new(),
            };
            let spec = args.spec(FileCheck::Ignore, printer)?;
            return Ok(Some((*spec).clone()));
        }
        self.preset.as_deref().map(of_preset).transpose()
    }
}

/// A spec that holds nothing but a preset.
fn of_preset(name: &str) -> Result<Spec, Failure> {
    if preset::text(name).is_none() {
        let known: Vec<&str> = preset::names().collect();
        return Err(Failure::input(format!("there is no preset `{name}`"))
            .hint(format!("there is {}", known.join(", "))));
    }
    let text = format!("include = [\"preset:{name}\"]\ncommand = \"true\"\n");
    let loaded = load_text("preset.toml", &text, Format::Toml, &LoadOptions::default());
    loaded
        .spec
        .ok_or_else(|| Failure::machine(format!("the preset `{name}` is broken")))
}

/// A run with its spec.
pub(super) struct Ran {
    pub(super) run: RunDir,
    pub(super) spec: Spec,
}

/// Opens the run that a word names: `NAME`, `NAME/STAMP` or a run's folder.
pub(super) fn open(name: &str, global: &Global, printer: Printer) -> Result<Ran, Failure> {
    let root = data_dir::for_here(global.data_dir.as_deref())?;
    let run = run_named(name, &root, printer)?.ok_or_else(|| {
        Failure::input(format!("there is no run `{name}`")).hint(format!(
            "`fairtrial list` shows the runs under {}",
            root.path().display()
        ))
    })?;
    let spec = resolved_spec(&run)?;
    Ok(Ran { run, spec })
}

/// The declaration of a table, by its name in the spec or by its file.
pub(super) fn table_for<'s>(
    spec: &'s Spec,
    file: &Path,
    name: Option<&str>,
) -> Result<&'s TableSpec, Failure> {
    let names = || {
        let known = spec.tables.iter();
        known
            .map(|table| format!("{} ({})", table.name, table.file))
            .collect::<Vec<_>>()
            .join(", ")
    };
    if let Some(name) = name {
        let found = spec.tables.iter().find(|table| table.name == name);
        return found.ok_or_else(|| {
            Failure::input(format!("{} declares no table `{name}`", spec.source))
                .hint(format!("its tables are {}", names()))
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
    let failure = Failure::input(format!(
        "{} declares no table for {}",
        spec.source,
        file.display()
    ));
    Err(if spec.tables.is_empty() {
        failure.hint("declare it: [tables.NAME] with `file` and `columns`")
    } else {
        failure.hint(format!("say which one is meant with --table: {}", names()))
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
