//! What a trial, or the job that ran it, wrote.

use crate::error::SessionError;
use crate::no_log::NoLog;
use crate::run::state_of;
use crate::session::Session;
use fairtrial_agent::rollout::ROLLOUT_LOGS;
use fairtrial_engine::{AttemptId, bring_back, remote};
use fairtrial_episode::open_regular;
use fairtrial_journal::{RecordFile, RunDir, RunState, TrialState, resolved_spec};
use fairtrial_model::Outcome;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

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
            LogKind::Stdout => written(&with_files(run, &known, which)?)?,
            LogKind::Stderr => read(&with_files(run, &known, which)?, "logs/stderr.log")?,
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

/// Where an attempt left its files: a trial that was taken over left them in the folder of the run that ran it.
fn attempt_dir(run: &RunDir, trial: &TrialState, which: AttemptId) -> PathBuf {
    let recorded = || {
        let record = RecordFile::open(&run.journal())
            .ok()?
            .record(trial)
            .ok()??;
        let is_it = record.attempt == which.attempt && !record.dir.is_empty();
        is_it.then(|| run.root().path().join(record.dir))
    };
    recorded().unwrap_or_else(|| run.trial_dir(which.index, which.attempt))
}

/// The same, with what a node put away in its chunk where it was.
fn with_files(run: &RunDir, trial: &TrialState, which: AttemptId) -> Result<PathBuf, NoLog> {
    let dir = attempt_dir(run, trial, which);
    match bring_back(run.root(), [dir.clone()]) {
        Ok(()) => Ok(dir),
        Err(error) => Err(NoLog::Unreadable { path: dir, error }),
    }
}

/// What a trial wrote to standard output. A rollout's own program writes nothing there: what its phases wrote is meant.
fn written(dir: &Path) -> Result<String, SessionError> {
    let phases: Vec<_> = ROLLOUT_LOGS
        .into_iter()
        .filter(|(_, file)| dir.join(file).is_file())
        .collect();
    let mut text = read(dir, "logs/stdout.log")?;
    for (title, file) in phases {
        let log = read(dir, file)?;
        let _ = writeln!(text, "==> {title} ({file})\n{}", log.trim_end());
    }
    Ok(text)
}

fn read(dir: &Path, name: &str) -> Result<String, SessionError> {
    let path = dir.join(name);
    let mut bytes = Vec::new();
    let read = open_regular(&path).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|error| NoLog::Unreadable { path, error })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
