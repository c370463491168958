//! What a trial, or the job that ran it, wrote.

use crate::error::SessionError;
use crate::no_log::NoLog;
use crate::run::state_of;
use crate::session::Session;
use fairtrial_agent::rollout::ROLLOUT_LOGS;
use fairtrial_engine::{AttemptId, bring_back, remote};
use fairtrial_journal::{
    FilesOfTrial, FilesOfTrials, RecordFile, RunDir, RunState, TrialState, resolved_spec,
};
use fairtrial_model::Outcome;
use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

/// Which text is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// What the trial wrote to standard output.
    Stdout,
    /// What it wrote to standard error.
    Stderr,
    /// What the scheduler's job wrote.
    Job,
}

/// A trial's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialLog {
    /// Which trial.
    pub trial: u64,
    /// Which attempt.
    pub attempt: u32,
    /// What it wrote.
    pub text: String,
}

impl Session {
    /// What a trial of a run wrote, in its newest attempt or this one; without a trial, the one that failed last.
    pub fn log(
        &self,
        run: &RunDir,
        trial: Option<u64>,
        attempt: Option<u32>,
        kind: LogKind,
    ) -> Result<TrialLog, SessionError> {
        let state = state_of(run)?;
        let trial = match trial {
            Some(trial) => trial,
            None => state.last_failed().ok_or_else(|| NoLog::NoneFailed {
                name: run.name().to_owned(),
            })?,
        };
        let known = state.trial(trial);
        let newest = known.started.max(known.finished);
        if newest == 0 {
            let trials = state.opened.as_ref().map_or(0, |opened| opened.trials);
            let name = run.name().to_owned();
            return Err(NoLog::NotStarted {
                trial,
                name,
                trials,
            }
            .into());
        }
        if let Some(ended) = ended_unstarted(run, &known) {
            let name = run.name().to_owned();
            return Err(NoLog::NeverRan { trial, name, ended }.into());
        }
        let attempt = attempt.unwrap_or(newest);
        let which = AttemptId {
            index: trial,
            attempt,
        };
        let text = match kind {
            LogKind::Job => self.job_log(run, &state, which)?,
            LogKind::Stdout => written(&files_of(run, &known, which)?)?,
            LogKind::Stderr => read(&files_of(run, &known, which)?, "logs/stderr.log")?,
        };
        Ok(TrialLog {
            trial,
            attempt,
            text,
        })
    }

    fn job_log(
        &self,
        run: &RunDir,
        state: &RunState,
        which: AttemptId,
    ) -> Result<String, SessionError> {
        let spec = resolved_spec(run)?;
        let program = &self.caller().program;
        match remote::job_log(run, state, &spec, program, which) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(SessionError::Input(format!(
                "attempt {} of trial {} was in no scheduler's job",
                which.attempt, which.index
            ))),
            Err(error) => Err(SessionError::Machine(error.to_string())),
        }
    }
}

/// How a trial ended that has a record and was never started; nothing for others.
fn ended_unstarted(run: &RunDir, trial: &TrialState) -> Option<String> {
    let ended = trial.outcome.filter(|outcome| {
        trial.started == 0 && matches!(outcome, Outcome::Skipped | Outcome::Cancelled)
    })?;
    let record = RecordFile::open(&run.journal()).ok()?.record(trial).ok()?;
    let cause = record.and_then(|record| record.cause);
    let why = cause.map_or(String::new(), |cause| format!(": {cause}"));
    Some(format!("{}{why}", ended.word()))
}

/// What an attempt left, wherever it is: a trial that was taken over left it to the run that ran it, and what a node put away in
/// its chunk is brought back first.
fn files_of(
    run: &RunDir,
    trial: &TrialState,
    which: AttemptId,
) -> Result<FilesOfTrial, SessionError> {
    let record = || {
        let record = RecordFile::open(&run.journal()).ok()?.record(trial).ok()?;
        record.filter(|record| record.attempt == which.attempt && !record.dir.is_empty())
    };
    if let Some(record) = record() {
        let files = FilesOfTrials::of(run.root()).files(&record)?;
        if record.packed.is_none() {
            bring_back_to(run, files.dir())?;
        }
        return Ok(files);
    }
    let dir = run.trial_dir(which.index, which.attempt);
    bring_back_to(run, &dir)?;
    Ok(FilesOfTrial::in_folder(&dir))
}

fn bring_back_to(run: &RunDir, dir: &Path) -> Result<(), NoLog> {
    bring_back(run.root(), [dir.to_owned()]).map_err(|error| NoLog::Unreadable {
        path: dir.to_owned(),
        error,
    })
}

/// What a trial wrote to standard output. A rollout's own program writes nothing there: what its phases wrote is meant.
fn written(files: &FilesOfTrial) -> Result<String, SessionError> {
    let phases: Vec<_> = ROLLOUT_LOGS
        .into_iter()
        .filter(|(_, file)| files.dir().join(file).is_file())
        .collect();
    let mut text = read(files, "logs/stdout.log")?;
    for (title, file) in phases {
        let log = read(files, file)?;
        let _ = writeln!(text, "==> {title} ({file})\n{}", log.trim_end());
    }
    Ok(text)
}

fn read(files: &FilesOfTrial, name: &str) -> Result<String, SessionError> {
    let mut bytes = Vec::new();
    let read = files
        .open(name)
        .and_then(|mut file| file.read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        // The logs of a trial that has just begun may be held by its launcher.
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_bare(files.dir()) => {
            Ok(String::new())
        }
        Err(error) => Err(NoLog::Unreadable {
            path: files.dir().join(name),
            error,
        }
        .into()),
    }
}

/// Whether a trial has a folder and no logs in it yet.
fn is_bare(dir: &Path) -> bool {
    dir.is_dir() && !dir.join("logs").exists()
}
