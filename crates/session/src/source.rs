//! Where trials come from: a run, a result file, a table, a saved baseline.

use crate::error::SessionError;
use crate::revision::revision_text;
use crate::session::Session;
use fairtrial_analysis::dataset::FactKind;
use fairtrial_analysis::{AnalysisError, Dataset};
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
    /// A table.
    Csv(PathBuf),
    /// A table in a revision of its repository, as `FILE.csv@REVISION`.
    Revision(String),
}

impl Session {
    /// What a word names; nothing where it is neither a file nor a run.
    pub fn source_named(&self, name: &str) -> Result<Option<TrialSource>, SessionError> {
        let path = Path::new(name);
        if path.is_file() {
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("json") => return Ok(Some(TrialSource::Json(path.to_owned()))),
                Some("csv") => return Ok(Some(TrialSource::Csv(path.to_owned()))),
                _ => {}
            }
        }
        if let Some((file, revision)) = name.rsplit_once('@')
            && Path::new(file)
                .extension()
                .is_some_and(|ending| ending == "csv")
            && !revision.is_empty()
        {
            return Ok(Some(TrialSource::Revision(name.to_owned())));
        }
        // A program often has the name of its benchmark: another kind of file stands for nothing where there is a run.
        match self.run_named(name)? {
            Some(run) => Ok(Some(TrialSource::Run(run))),
            None if path.is_file() => Err(SessionError::Input(format!(
                "{name} is neither a .json result file nor a .csv table"
            ))),
            None => Ok(None),
        }
    }

    /// Reads trials.
    pub fn open(&self, source: &TrialSource) -> Result<Trials, SessionError> {
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
            TrialSource::Revision(name) => alone(Dataset::from_csv(name, &revision_text(name)?)),
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
        std::thread::scope(|scope| {
            let open = || self.open(control);
            let first = std::thread::Builder::new().spawn_scoped(scope, open);
            let second = self.open(candidate)?;
            let first = match first.map(std::thread::ScopedJoinHandle::join) {
                Ok(joined) => joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                // No thread to be had: one after the other.
                Err(_) => open()?,
            };
            Ok((first, second))
        })
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
