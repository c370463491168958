//! Runs commands as timed trials are run, without a run and without a record: warm-ups, and what an empty shell costs.

use crate::controls::{Asked, Controls};
use crate::error::EngineError;
use crate::job::inherit_all;
use fairtrial_model::{
    Accepts, Access, Exit, MetricDeclaration, Params, Resources, Sha256, Timed, TrialId, TrialKey,
    UtcTime,
};
use fairtrial_trial::{
    Fate, JobLimits, KillHandle, Makes, Output, OutputChunk, TrialJob, TrialRunner,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

/// Bytes kept of what a command says on standard error.
const SAID: usize = 64 << 10;
/// How often it is looked whether an end was asked for.
const LOOK: Duration = Duration::from_millis(50);

/// A launcher for commands that nobody records.
pub struct Rehearsal {
    runner: TrialRunner,
    inherited: Arc<[String]>,
    /// What is measured of them.
    metrics: Arc<[MetricDeclaration]>,
    now: fn() -> UtcTime,
    /// With it ends who listens for Ctrl-C.
    _listens: Sender<()>,
}

/// What a rehearsed command did.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsed {
    /// What it used; nothing where it could not be started.
    pub resources: Resources,
    /// How it ended.
    pub exit: Option<Exit>,
    /// Why it could not be run to its end, in words.
    pub cause: Option<String>,
    /// What it printed, where that goes through a pipe.
    pub stdout: Printed,
    /// The beginning of what it said on standard error.
    pub stderr: Vec<u8>,
}

/// What a command printed: enough to tell whether another one printed the same, however much it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Printed {
    /// How many bytes.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

impl Rehearsal {
    /// `program` is this very binary, from which launchers are started. What runs is ended as the controls say.
    pub fn start(
        program: &Path,
        environment: &[(String, String)],
        (now, controls): (fn() -> UtcTime, &Controls),
    ) -> Result<Self, EngineError> {
        let runner = TrialRunner::start(program)?;
        let (kill, controls) = (runner.kill_handle(), controls.clone());
        let (listens, ended) = channel();
        let listener = Builder::new().spawn(move || end_when_asked(&kill, &controls, &ended));
        listener.map_err(EngineError::NoThread)?;
        Ok(Self {
            runner,
            inherited: inherit_all(environment),
            metrics: Arc::from([]),
            now,
            _listens: listens,
        })
    }

    /// The same where this is measured of the commands.
    #[must_use]
    pub fn measuring(self, metric: MetricDeclaration) -> Self {
        Self {
            metrics: Arc::from([metric]),
            ..self
        }
    }

    /// Runs a command in a folder, to its end.
    pub fn run(&mut self, argv: &[String], timed: &Timed, workdir: &Path) -> Rehearsed {
        let job = self.job(argv, timed, workdir);
        let now = self.now;
        self.runner.begin(job, now(), Output::Streamed);
        self.runner.hand();
        let (mut bytes, mut hash, mut stderr) = (0, Sha256::new(), Vec::new());
        let mut take = |_: &TrialJob, chunk: OutputChunk<'_>| {
            if chunk.stderr {
                let room = SAID.saturating_sub(stderr.len());
                stderr.extend_from_slice(&chunk.bytes[..chunk.bytes.len().min(room)]);
            } else {
                bytes += chunk.bytes.len() as u64;
                hash.update(chunk.bytes);
            }
        };
        let mut record = None;
        while record.is_none() && self.runner.jobs() > 0 {
            for (job, fate) in self.runner.wait(now, &mut take) {
                if let Fate::Ended(finished) = fate {
                    record = Some(finished.record(job, None));
                }
            }
        }
        let resources = record.as_ref().map(|record| record.resources.clone());
        Rehearsed {
            resources: resources.unwrap_or_default(),
            exit: record.as_ref().and_then(|record| record.exit),
            cause: record.and_then(|record| record.cause.map(|cause| cause.to_string())),
            stdout: Printed {
                bytes,
                sha256: hash.finalize(),
            },
            stderr,
        }
    }

    fn job(&self, argv: &[String], timed: &Timed, workdir: &Path) -> TrialJob {
        let dir = PathBuf::from("rehearsal");
        TrialJob {
            key: TrialKey {
                index: 0,
                task: "rehearsal".to_owned(),
                arm: None,
                point: Params::new(),
                seed: 0,
                rollout: 0,
            },
            id: TrialId(String::new()),
            attempt: 1,
            argv: argv.to_vec(),
            inherited: Arc::clone(&self.inherited),
            env: Vec::new(),
            workdir: workdir.to_owned(),
            dir_in_data: String::new(),
            dir,
            script: None,
            code: None,
            limits: JobLimits {
                grace: 5.0,
                ..JobLimits::default()
            },
            log_limit: 0,
            discards_output: false,
            packs: false,
            checkpoint: None,
            access: Access::default(),
            metrics: Arc::clone(&self.metrics),
            makes: Makes::default(),
            // How it ended is for the caller to judge, and nothing of it is kept.
            timed: Some(Arc::new(Timed {
                accepts: Accepts::Any,
                ..timed.clone()
            })),
        }
    }
}

/// Passes on what signals ask for, until the rehearsal is over.
fn end_when_asked(kill: &KillHandle, controls: &Controls, ended: &Receiver<()>) {
    let mut told = Asked::Drain;
    while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        let asked = controls.asked();
        if asked > told {
            told = asked;
            kill.kill();
        }
    }
}
