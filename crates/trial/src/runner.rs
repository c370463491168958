//! Drives one launcher: hands it a job, waits for the end, collects the metrics, and gives the record.

use crate::collect::{self, Collected};
use crate::job::{JobLimits, TrialJob};
use crate::judge::{self, Verdict};
use crate::strays::end_strays;
use crate::wire::{self, Ended, Launch, LaunchLimits, Order, Report};
use fairtrial_model::{Cause, Outcome, RECORD_SCHEMA, Record, Resources, UtcTime};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// The hidden argument with which the binary becomes a launcher; its standard input is then the socket.
const LAUNCHER_ARGUMENT: &str = "__launch";

/// Why a runner could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The launcher could not be started.
    #[error("could not start the trial launcher {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
}

/// The attempt's directory is there already: an earlier controller started this attempt and did not live to say so.
/// Nothing was run; the next attempt number is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the attempt's directory is there already")]
pub struct AttemptTaken;

/// Output of a trial as it comes.
#[derive(Debug)]
pub struct OutputChunk<'a> {
    /// Whether it is standard error.
    pub stderr: bool,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// Runs trials one after another through its own launcher process.
#[derive(Debug)]
pub struct TrialRunner {
    program: PathBuf,
    host: Option<String>,
    launcher: Child,
    socket: UnixStream,
    kill: KillHandle,
    scratch: Vec<u8>,
    /// What the launcher knows as inherited.
    inherited: Option<Arc<[String]>>,
}

/// Ends the trial that a runner is running, from another thread.
#[derive(Debug, Clone)]
pub struct KillHandle(Arc<Mutex<OrderLine>>);

/// The way on which orders reach the launcher.
#[derive(Debug)]
struct OrderLine {
    socket: UnixStream,
    /// An end was asked for: also a trial that is being handed over at that moment must not slip through.
    ended: bool,
}

impl KillHandle {
    /// Asks the trial to end; asked again, it is ended by force. A trial that starts later is ended at once.
    pub fn kill(&self) {
        let mut buffer = Vec::new();
        if let Ok(mut line) = self.0.lock() {
            line.ended = true;
            // A launcher that is gone has ended its trial already.
            let _ = wire::send(&line.socket, &Order::Kill, &mut buffer);
        }
    }
}

impl TrialRunner {
    /// Starts a launcher from `program` (this very binary), which must call [`crate::serve_launcher`] when its first
    /// argument is `__launch`.
    pub fn start(program: &Path, host: Option<String>) -> Result<Self, RunnerError> {
        let failed = |source| RunnerError::Start {
            program: program.display().to_string(),
            source,
        };
        let (launcher, socket) = start_launcher(program).map_err(failed)?;
        let line = OrderLine {
            socket: socket.try_clone().map_err(failed)?,
            ended: false,
        };
        let kill = KillHandle(Arc::new(Mutex::new(line)));
        Ok(Self {
            program: program.to_owned(),
            host,
            launcher,
            socket,
            kill,
            scratch: Vec::new(),
            inherited: None,
        })
    }

    /// A handle to end trials of this runner.
    pub fn kill_handle(&self) -> KillHandle {
        self.kill.clone()
    }

    /// Runs a job to its end. `output` is called with what the trial writes, where it is given.
    pub fn run(
        &mut self,
        job: &TrialJob,
        now: impl Fn() -> UtcTime,
        output: Option<&mut dyn FnMut(OutputChunk<'_>)>,
    ) -> Result<Record, AttemptTaken> {
        let inputs = job.makes.hash_inputs();
        let started_at = now();
        let ended = self.launch_and_wait(job, output);
        let ended_at = now();
        let mut record = blank_record(job, started_at, ended_at, self.host.clone());
        match ended {
            Ok(Ended {
                failure: Some(failure),
                ..
            }) if failure.taken => return Err(AttemptTaken),
            Ok(ended) => {
                complete(&mut record, job, ended);
                if record.outcome == Outcome::Ok
                    && let Err(cause) = job.makes.record(&job.dir, &inputs)
                {
                    record.outcome = Outcome::Failed;
                    record.cause = Some(cause);
                }
            }
            Err(error) => {
                record.outcome = Outcome::Infra;
                record.cause = Some(Cause::Lost {
                    message: format!("the trial launcher is gone ({error})"),
                });
                let strays = end_strays(|dir| dir == job.dir);
                if strays > 0 {
                    let note = format!("{strays} processes outlived the launcher and were ended");
                    record.notes.push(note);
                }
                self.restart();
            }
        }
        Ok(record)
    }

    fn launch_and_wait(
        &mut self,
        job: &TrialJob,
        mut output: Option<&mut dyn FnMut(OutputChunk<'_>)>,
    ) -> io::Result<Ended> {
        let mut launch = launch_of(job, output.is_some());
        launch.own = (job.argv.first()).is_some_and(|program| Path::new(program) == self.program);
        let known = self
            .inherited
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, &job.inherited));
        if !known {
            launch.inherited = Some(job.inherited.to_vec());
            self.inherited = Some(Arc::clone(&job.inherited));
        }
        {
            let line = self
                .kill
                .0
                .lock()
                .map_err(|_| io::Error::other("a kill was cut short"))?;
            wire::send(
                &line.socket,
                &Order::Run(Box::new(launch)),
                &mut self.scratch,
            )?;
            if line.ended {
                wire::send(&line.socket, &Order::Kill, &mut self.scratch)?;
            }
        }
        loop {
            match wire::receive(&self.socket, &mut self.scratch)? {
                Some(Report::Ended(ended)) => {
                    if ended.failure.is_some() {
                        // The launcher may have refused before it looked at what is inherited: it is said again.
                        self.inherited = None;
                    }
                    return Ok(*ended);
                }
                Some(Report::Output { stderr, bytes }) => {
                    if let Some(output) = &mut output {
                        output(OutputChunk {
                            stderr,
                            bytes: &bytes,
                        });
                    }
                }
                None => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            }
        }
    }

    /// Replaces a launcher that was lost. Where that fails the next job says so.
    fn restart(&mut self) {
        self.inherited = None;
        let _ = self.launcher.kill();
        let _ = self.launcher.wait();
        if let Ok((launcher, socket)) = start_launcher(&self.program)
            && let Ok(copy) = socket.try_clone()
            && let Ok(mut kill) = self.kill.0.lock()
        {
            kill.socket = copy;
            self.launcher = launcher;
            self.socket = socket;
        }
    }
}

impl Drop for TrialRunner {
    fn drop(&mut self) {
        // Closing the socket ends the launcher; waiting keeps no zombie.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        let _ = self.launcher.wait();
    }
}

fn start_launcher(program: &Path) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    let launcher = Command::new(program)
        .arg(LAUNCHER_ARGUMENT)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        // Its own group: a Ctrl-C at the terminal is for the controller alone.
        .process_group(0)
        .spawn()?;
    Ok((launcher, ours))
}

fn launch_of(job: &TrialJob, stream: bool) -> Launch {
    let JobLimits {
        wall,
        cpu,
        memory_bytes,
        processes,
        grace,
    } = job.limits;
    let millis = |seconds: f64| (seconds * 1000.0).ceil().max(0.0) as u64;
    Launch {
        argv: job.argv.clone(),
        own: false,
        inherited: None,
        env: job.env.clone(),
        workdir: job.workdir.to_string_lossy().into_owned(),
        dir: job.dir.to_string_lossy().into_owned(),
        limits: LaunchLimits {
            wall_ms: wall.map(millis),
            cpu_ms: cpu.map(millis),
            memory_bytes,
            processes,
            grace_ms: millis(grace),
        },
        log_limit: job.log_limit,
        stream,
    }
}

fn blank_record(
    job: &TrialJob,
    started_at: UtcTime,
    ended_at: UtcTime,
    host: Option<String>,
) -> Record {
    Record {
        schema: RECORD_SCHEMA,
        trial: job.key.clone(),
        id: job.id.clone(),
        attempt: job.attempt,
        outcome: Outcome::Infra,
        cause: None,
        exit: None,
        started_at: Some(started_at),
        ended_at,
        dir: job.dir_in_data.clone(),
        host,
        resources: Resources::default(),
        metrics: std::collections::BTreeMap::new(),
        series: std::collections::BTreeMap::new(),
        notes: Vec::new(),
        facts: std::collections::BTreeMap::new(),
        reused_from: None,
    }
}

/// Fills in how it ended, what it used and what it reported.
fn complete(record: &mut Record, job: &TrialJob, ended: Ended) {
    let Verdict {
        outcome,
        cause,
        exit,
    } = judge::judge(&ended, &job.limits);
    record.outcome = outcome;
    record.cause = cause;
    record.exit = exit;
    record.resources = judge::resources(&ended);
    for (name, dropped) in ["standard output", "standard error"]
        .iter()
        .zip(ended.dropped)
    {
        if dropped > 0 {
            record.notes.push(format!(
                "{dropped} bytes of {name} were left out of its log"
            ));
        }
    }
    record.notes.extend(ended.notes);
    record.notes.extend(ended.log_failure.clone());
    if ended.failure.is_some() {
        return;
    }
    let Collected {
        metrics,
        facts,
        series,
        missing,
        notes,
    } = collect::collect(&job.dir, &job.metrics, &record.resources);
    record.metrics = metrics;
    record.facts = facts;
    judge::own_word(record);
    record.series = series;
    record.notes.extend(notes);
    if record.outcome == Outcome::Ok && !missing.is_empty() {
        record.outcome = Outcome::Failed;
        record.cause = Some(Cause::MissingMetric { metrics: missing });
    }
    if let Some(failure) = ended.log_failure {
        blame_the_machine(record, &failure);
    }
}

/// A trial that failed where its files could not be written (a full disk) failed because of the machine: its own
/// results had no place either. One that ended otherwise keeps its outcome.
pub fn blame_the_machine(record: &mut Record, failure: &str) {
    if record.outcome == Outcome::Failed {
        record.outcome = Outcome::Infra;
        record.cause = Some(Cause::Lost {
            message: format!("the trial's files could not be written: {failure}"),
        });
    }
}
