//! Where trials come from on the command line: a run, an arm's run, a result file, a table, a saved baseline.

use crate::data_dir;
use crate::exit::Failure;
use crate::newest::tell_passed_over;
use crate::printer::Printer;
use crate::report_of::recorded_environment;
use crate::revision::revision_text;
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::{AnalysisError, Dataset};
use fairtrial_journal::{DataRoot, JournalError, RunDir, Selector, resolved_spec};
use fairtrial_model::Stamp;
use fairtrial_spec::Spec;
use std::fs;
use std::path::{Path, PathBuf};

/// One source of trials; runs come with their spec.
pub(crate) struct Source {
    pub(crate) data: Dataset,
    pub(crate) spec: Option<Spec>,
    pub(crate) commit: Option<String>,
}

/// Reads both sources at once: reading is most of the time that a comparison of large runs takes.
pub(crate) fn open_both(
    control: &Place,
    candidate: &Place,
    printer: Printer,
) -> Result<(Source, Source), Failure> {
    std::thread::scope(|scope| {
        let first = scope.spawn(move || control.open(printer));
        let second = candidate.open(printer)?;
        let first = first
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok((first, second))
    })
}

/// Where a source is.
pub(crate) enum Place {
    Run(RunDir),
    Json(PathBuf),
    Csv(PathBuf),
    /// A table in a revision of its repository, as `FILE.csv@REVISION`.
    Revision(String),
}

/// What a word on the command line names; nothing where it is neither a file nor a run.
pub(crate) fn place(
    name: &str,
    root: &DataRoot,
    printer: Printer,
) -> Result<Option<Place>, Failure> {
    let path = Path::new(name);
    if path.is_file() {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => return Ok(Some(Place::Json(path.to_owned()))),
            Some("csv") => return Ok(Some(Place::Csv(path.to_owned()))),
            _ => {}
        }
    }
    if let Some((file, revision)) = name.rsplit_once('@')
        && Path::new(file)
            .extension()
            .is_some_and(|ending| ending == "csv")
        && !revision.is_empty()
    {
        return Ok(Some(Place::Revision(name.to_owned())));
    }
    // A program often has the name of its benchmark: another kind of file stands for nothing where there is a run.
    match run_named(name, root, printer)? {
        Some(run) => Ok(Some(Place::Run(run))),
        None if path.is_file() => Err(Failure::input(format!(
            "{name} is neither a .json result file nor a .csv table"
        ))),
        None => Ok(None),
    }
}

/// `NAME`, `NAME/STAMP`, or the path of a run's folder.
pub(crate) fn run_named(
    name: &str,
    root: &DataRoot,
    printer: Printer,
) -> Result<Option<RunDir>, Failure> {
    let parent = |path: &Path| path.parent().map(Path::to_owned);
    let path = data_dir::absolute(Path::new(name));
    if path.join("journal.jsonl").is_file() {
        let named = || {
            let stamp: Stamp = path.file_name()?.to_str()?.parse().ok()?;
            let of = parent(&path)?;
            let root = DataRoot::at(parent(&parent(&of)?)?);
            Some((root, of.file_name()?.to_str()?.to_owned(), stamp))
        };
        let (root, benchmark, stamp) = named().ok_or_else(|| {
            Failure::input(format!(
                "{name} is not a run's folder (rollouts/NAME/STAMP)"
            ))
        })?;
        return Ok(Some(RunDir::open(
            &root,
            &benchmark,
            Selector::Stamp(stamp),
        )?));
    }
    let (benchmark, selector) = match name.rsplit_once('/') {
        Some((benchmark, stamp)) => match stamp.parse() {
            Ok(stamp) => (benchmark, Selector::Stamp(stamp)),
            Err(_) => return Ok(None),
        },
        None => (name, Selector::Latest),
    };
    match RunDir::open(root, benchmark, selector) {
        Err(JournalError::NoSuchRun { .. } | JournalError::Name(_)) => Ok(None),
        found => {
            let run = found?;
            if selector == Selector::Latest {
                tell_passed_over(&run, false, printer)?;
            }
            Ok(Some(run))
        }
    }
}

impl Place {
    /// Reads it.
    pub(crate) fn open(&self, printer: Printer) -> Result<Source, Failure> {
        let file = |path: &Path| {
            let text = fs::read_to_string(path);
            text.map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())))
        };
        let alone = |data: Result<Dataset, AnalysisError>| {
            Ok(Source {
                data: data.map_err(Failure::from)?,
                spec: None,
                commit: None,
            })
        };
        match self {
            Self::Run(run) => open_run(run, printer),
            Self::Json(path) => {
                let (name, text) = (path.display().to_string(), file(path)?);
                alone(if Dataset::is_baseline(&text) {
                    Dataset::from_baseline(&name, &text)
                } else {
                    Dataset::from_result_json(&name, &text)
                })
            }
            Self::Revision(name) => alone(Dataset::from_csv(name, &revision_text(name)?)),
            Self::Csv(path) => alone(Dataset::from_csv(&path.display().to_string(), &file(path)?)),
        }
    }
}

/// A run with its spec and what it says about itself.
pub(crate) fn open_run(run: &RunDir, printer: Printer) -> Result<Source, Failure> {
    let spec = resolved_spec(run)?;
    let environment = recorded_environment(run, printer);
    let data = Dataset::from_run(run, &spec, environment.as_ref()).map_err(Failure::from)?;
    let commit = data
        .facts
        .iter()
        .find(|fact| fact.kind == FactKind::Source && fact.name == "commit");
    Ok(Source {
        commit: commit.map(|fact| fact.value.clone()),
        data,
        spec: Some(spec),
    })
}
