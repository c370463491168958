//! Where trials come from: a run, a result file, a table, a saved baseline, another tool's results.

use crate::error::SessionError;
use crate::foreign::Curves;
use crate::notice::Notice;
use crate::revision::revision_text;
use crate::session::Session;
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::{AnalysisError, Dataset};
use fairtrial_interop::{Input, Scope, is_parquet, read_json_lines, read_parquet};
use fairtrial_journal::{RunDir, resolved_spec};
use fairtrial_spec::Spec;
use std::fs;
use std::path::{Path, PathBuf};

/// Trials that were read; those of a run come with its spec.
#[derive(Debug)]
pub struct Trials {
    /// The trials.
    pub data: Dataset,
    /// The spec of their run.
    pub spec: Option<Spec>,
    /// The commit they ran at.
    pub commit: Option<String>,
}

/// Where trials are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialSource {
    /// A run.
    Run(RunDir),
    /// A result file or a saved baseline.
    Json(PathBuf),
    /// A folder of result files: several processes of one side.
    Results(PathBuf),
    /// A table.
    Csv(PathBuf),
    /// A table in Parquet.
    Parquet(PathBuf),
    /// A table of JSON lines.
    JsonLines(PathBuf),
    /// A table in a revision of its repository, as `FILE.csv@REVISION`.
    Revision(String),
    /// Another tool's file, folder or server, as it was named.
    Foreign(String),
}

impl TrialSource {
    /// What it is called.
    fn name(&self) -> String {
        match self {
            Self::Run(run) => format!("{} {}", run.name(), run.stamp()),
            Self::Json(path)
            | Self::Results(path)
            | Self::Csv(path)
            | Self::Parquet(path)
            | Self::JsonLines(path) => path.display().to_string(),
            Self::Revision(name) | Self::Foreign(name) => name.clone(),
        }
    }
}

impl Session {
    /// What a word names; nothing where it is neither a file nor a run.
    pub fn source_named(&self, name: &str) -> Result<Option<TrialSource>, SessionError> {
        let path = Path::new(name);
        if path.is_file() {
            let ending = path.extension().and_then(|extension| extension.to_str());
            let own = match ending {
                Some("json") => Some(TrialSource::Json(path.to_owned())),
                Some("csv" | "tsv") => Some(TrialSource::Csv(path.to_owned())),
                Some("jsonl" | "ndjson") => Some(TrialSource::JsonLines(path.to_owned())),
                _ if is_parquet(path) => Some(TrialSource::Parquet(path.to_owned())),
                _ => None,
            };
            if let Some(own) = own {
                let foreign = self.foreign_source(name)?.is_some();
                let foreign = foreign.then(|| TrialSource::Foreign(name.to_owned()));
                return Ok(Some(foreign.unwrap_or(own)));
            }
        }
        if let Some((file, revision)) = name.rsplit_once('@')
            && Path::new(file)
                .extension()
                .is_some_and(|ending| ending == "csv" || ending == "tsv")
            && !revision.is_empty()
        {
            return Ok(Some(TrialSource::Revision(name.to_owned())));
        }
        // A program often has the name of its benchmark: another kind of file stands for nothing where there is a run.
        match self.run_named(name)? {
            Some(run) => Ok(Some(TrialSource::Run(run))),
            None if self.foreign_source(name)?.is_some() => {
                Ok(Some(TrialSource::Foreign(name.to_owned())))
            }
            None if !result_files(path)?.is_empty() => {
                Ok(Some(TrialSource::Results(path.to_owned())))
            }
            None if path.is_file() => Err(SessionError::NoKnownKind(path.to_owned())),
            None => Ok(None),
        }
    }

    /// Reads trials; `scope` says whether they are all arms, or one side.
    pub fn open(&self, source: &TrialSource, scope: Scope) -> Result<Trials, SessionError> {
        if !matches!(source, TrialSource::Foreign(_)) && !self.in_place().mapping().is_empty() {
            self.tell(Notice::NotForeign(source.name()));
        }
        let file = |path: &Path| {
            let text = fs::read_to_string(path);
            text.map_err(|error| {
                SessionError::Input(format!("cannot read {}: {error}", path.display()))
            })
        };
        let alone = |data: Result<Dataset, AnalysisError>| {
            Ok(Trials {
                data: data?,
                spec: None,
                commit: None,
            })
        };
        match source {
            TrialSource::Run(run) => self.open_run(run),
            TrialSource::Json(path) => {
                let (name, text) = (path.display().to_string(), file(path)?);
                alone(if Dataset::is_baseline(&text) {
                    Dataset::from_baseline(&name, &text)
                } else {
                    Dataset::from_result_json(&name, &text)
                })
            }
            TrialSource::Results(path) => {
                let name = path.display().to_string();
                alone(Dataset::from_result_files(&name, &result_files(path)?))
            }
            TrialSource::Foreign(name) => {
                let run = self.foreign_run(name, scope, Curves::Ends)?;
                let run = run.ok_or_else(|| SessionError::NoKnownKind(PathBuf::from(name)))?;
                self.open_called(&run, name)
            }
            TrialSource::Revision(name) => alone(Dataset::from_csv(name, &revision_text(name)?)),
            TrialSource::Parquet(path) => {
                let table = read_parquet(Input::open(path)?)?;
                let mut data = Dataset::from_csv(&path.display().to_string(), &table.csv)?;
                data.problems.extend(table.notes);
                alone(Ok(data))
            }
            TrialSource::JsonLines(path) => {
                let text = read_json_lines(Input::open(path)?)?;
                alone(Dataset::from_csv(&path.display().to_string(), &text))
            }
            TrialSource::Csv(path) => {
                alone(Dataset::from_csv(&path.display().to_string(), &file(path)?))
            }
        }
    }

    /// Reads both sources at once: reading is most of the time that a comparison of large runs takes.
    pub(crate) fn open_both(
        &self,
        control: &TrialSource,
        candidate: &TrialSource,
    ) -> Result<(Trials, Trials), SessionError> {
        let open = |source| self.open(source, Scope::Side);
        match (control, candidate) {
            (TrialSource::Foreign(control), TrialSource::Foreign(candidate)) => {
                self.open_both_in_place(control, candidate)
            }
            // What is recognised is told in the order of the sides.
            (TrialSource::Foreign(_), _) | (_, TrialSource::Foreign(_)) => {
                Ok((open(control)?, open(candidate)?))
            }
            _ => both(rayon::join(|| open(control), || open(candidate))),
        }
    }

    /// The same of two sources of other tools, which are read at once and told of in the order of the sides.
    fn open_both_in_place(
        &self,
        control: &str,
        candidate: &str,
    ) -> Result<(Trials, Trials), SessionError> {
        let read = |name: &str| {
            let found = self.read_in_place(name, Scope::Side, Curves::Ends)?;
            found.ok_or_else(|| SessionError::NoKnownKind(PathBuf::from(name)))
        };
        let (first, second) = rayon::join(|| read(control), || read(candidate));
        let first = first?;
        self.tell(Notice::Recognised(first.foreign.recognised()?));
        let second = second?;
        self.tell(Notice::Recognised(second.foreign.recognised()?));
        let open = |found, name| self.open_called(&self.keep_in_place(found)?, name);
        both(rayon::join(
            || open(first, control),
            || open(second, candidate),
        ))
    }

    /// The trials of a run that the user knows by another name.
    fn open_called(&self, run: &RunDir, name: &str) -> Result<Trials, SessionError> {
        let mut trials = self.open_run(run)?;
        name.clone_into(&mut trials.data.label);
        Ok(trials)
    }

    /// A run's trials with its spec and what it says about itself.
    pub fn open_run(&self, run: &RunDir) -> Result<Trials, SessionError> {
        let spec = resolved_spec(run)?;
        let environment = self.recorded_environment(run);
        let data = Dataset::from_run(run, &spec, environment.as_ref())?;
        let commit = data
            .facts
            .iter()
            .find(|fact| fact.kind == FactKind::Source && fact.name == "commit");
        Ok(Trials {
            commit: commit.map(|fact| fact.value.clone()),
            data,
            spec: Some(spec),
        })
    }
}

/// Both sides; of two errors the first.
fn both<T>(
    (first, second): (Result<T, SessionError>, Result<T, SessionError>),
) -> Result<(T, T), SessionError> {
    Ok((first?, second?))
}

/// The result files of a folder, by name, and those of its folders as experiments leave them under `output_dir`
/// (`NAME/NAME.json`); none where another JSON file is among them.
fn result_files(folder: &Path) -> Result<Vec<(String, String)>, SessionError> {
    let unread = |error: std::io::Error| {
        SessionError::Input(format!("cannot read {}: {error}", folder.display()))
    };
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        let mut path = entry.map_err(unread)?.path();
        if let (true, Some(name)) = (path.is_dir(), path.file_name()) {
            let mut file = name.to_owned();
            file.push(".json");
            path.push(file);
        }
        if path.extension().is_some_and(|ending| ending == "json") && path.is_file() {
            let text = fs::read_to_string(&path).map_err(unread)?;
            found.push((path.display().to_string(), text));
        }
    }
    if !found.iter().all(|(_, text)| Dataset::is_result_json(text)) {
        return Ok(Vec::new());
    }
    found.sort();
    Ok(found)
}
