//! What a run is judged against: a saved baseline, a branch, a commit, a file or a run.

use super::finished::finished;
use super::recorded::Recorded;
use crate::absent::{Absent, Near};
use crate::bench::PreparedBench;
use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use crate::source::{TrialSource, Trials};
use fairtrial_analysis::Unfinished;
use fairtrial_interop::Scope;
use fairtrial_journal::provenance::Vcs;
use fairtrial_journal::{
    DataRoot, Durability, RunDir, RunState, is_there, list_runs, write_atomic_bytes,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A run that is kept as a baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedBaseline {
    /// The file.
    pub baseline: PathBuf,
    /// The run.
    pub of: String,
    /// How many trials it holds.
    pub trials: usize,
}

impl Session {
    /// Whether a name stands for trials of their own.
    pub(super) fn is_baseline(&self, name: &str) -> Result<bool, SessionError> {
        Ok(Recorded::named(name).is_some()
            || saved_path(name, &self.data_root()).is_file()
            || self.source_named(name)?.is_some())
    }

    /// The trials that a baseline's name stands for.
    pub(super) fn baseline(&self, name: &str, candidate: &RunDir) -> Result<Trials, SessionError> {
        match Recorded::named(name) {
            Some(recorded) => self.recorded(candidate, recorded),
            None => self.baseline_named(name),
        }
    }

    /// The same of a name that does not depend on what is judged.
    fn baseline_named(&self, name: &str) -> Result<Trials, SessionError> {
        let saved = saved_path(name, &self.data_root());
        // A file that is named as it stands may be another tool's.
        if saved != Path::new(name) && saved.is_file() {
            return self.open(&TrialSource::Json(saved), Scope::Side);
        }
        let found = self.source_named(name)?.ok_or_else(|| Absent {
            message: format!(
                "there is no baseline `{name}`: no saved one, no file and no run of that name"
            ),
            near: Near::NoBaseline { kept: Vec::new() },
        })?;
        if let TrialSource::Run(run) = &found {
            finished(run)?;
        }
        self.open(&found, Scope::Side)
    }

    /// Whether a bench that is still to run can be compared with a baseline; nothing is run before that is known.
    pub fn check_bench_baseline(
        &self,
        bench: &PreparedBench,
        name: &str,
    ) -> Result<(), SessionError> {
        if Recorded::named(name).is_some() {
            return Ok(());
        }
        let data = self.baseline_named(name)?.data;
        let (commands, arms) = (bench.names(), data.arm_names());
        // One command alone is a task, several are arms.
        let alike = arms.is_empty() == (commands.len() == 1);
        let kept = if arms.is_empty() {
            data.task_names()
        } else {
            arms
        };
        if alike && commands.iter().any(|name| kept.contains(name)) {
            return Ok(());
        }
        Err(SessionError::OtherCommands {
            baseline: name.to_owned(),
            kept,
            commands,
        })
    }

    /// The newest finished run of the same benchmark whose recorded source fits.
    fn recorded(&self, candidate: &RunDir, recorded: Recorded) -> Result<Trials, SessionError> {
        let mut runs: Vec<RunDir> = list_runs(candidate.root())?
            .into_iter()
            .filter(|run| run.name() == candidate.name() && run.path() != candidate.path())
            .collect();
        runs.sort_by_key(RunDir::stamp);
        for run in runs.into_iter().rev() {
            let environment = self.recorded_environment(&run);
            let fits = environment.is_some_and(|environment| match environment.vcs {
                Vcs::Git(state) => recorded.fits(&state),
                Vcs::Unknown { .. } => false,
            });
            if fits && is_finished(&run)? {
                let trials = self.open_run(&run);
                self.tell(Notice::Baseline { run, recorded });
                return trials;
            }
        }
        Err(SessionError::NotRecorded {
            name: candidate.name().to_owned(),
            recorded,
        })
    }

    /// Keeps a run as a baseline, under a name of the data root or in a file.
    pub fn save_baseline(
        &self,
        run: Option<&str>,
        name: &str,
    ) -> Result<SavedBaseline, SessionError> {
        let run = self.gated_run(run, Scope::Side)?;
        finished(&run)?;
        let data = self.open_run(&run)?.data;
        if let Some(loss) = &data.loss {
            return Err(SessionError::LostRecords(loss.clone()));
        }
        let root = self.data_root();
        let path = saved_path(name, &root);
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if path.starts_with(root.path()) && (name.starts_with('.') || !name.chars().all(plain)) {
            return Err(SessionError::BaselineName(name.to_owned()));
        }
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder).map_err(|error| {
                SessionError::Machine(format!("cannot make {}: {error}", folder.display()))
            })?;
        }
        write_atomic_bytes(&path, Durability::Process, data.to_baseline()?.as_bytes())?;
        Ok(SavedBaseline {
            baseline: path,
            of: data.label.clone(),
            trials: data.len(),
        })
    }
}

fn is_finished(run: &RunDir) -> Result<bool, SessionError> {
    if !is_there(&run.journal())? {
        return Ok(false);
    }
    let state = RunState::read(&run.journal())?;
    Ok(Unfinished::of_state(&state).is_none())
}

/// Where a baseline is kept: a .json file as it stands, a name under the data root.
fn saved_path(name: &str, root: &DataRoot) -> PathBuf {
    let path = Path::new(name);
    if path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        path.to_owned()
    } else {
        baselines_dir(root).join(format!("{name}.json"))
    }
}

/// Where baselines are kept that have a plain name.
pub(crate) fn baselines_dir(root: &DataRoot) -> PathBuf {
    root.path().join("baselines")
}
