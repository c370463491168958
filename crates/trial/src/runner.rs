//! Drives one launcher: hands it jobs and waits for their ends, which come in the order of the jobs.

use crate::collect::{counters, is_apart_from_logs, is_peak_memory};
use crate::finished::{End, Finished};
use crate::job::{JobCheckpoint, JobLimits, TrialJob};
use crate::outputs::InputHashes;
use crate::strays::end_strays;
use crate::wire::{
    self, Ended, Furnished, Inbox, Launch, LaunchLimits, LaunchTimed, Order, Report, TimedStdout,
};
use crate::words::Words;
use fairtrial_model::{Accepts, Timed, TimedOutput, UtcTime};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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

/// What becomes of a trial's output beside its logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Nothing.
    Kept,
    /// It is passed on as it comes.
    Streamed,
}

/// A job that the launcher has.
#[derive(Debug)]
struct Handed {
    job: TrialJob,
    inputs: InputHashes,
    at: UtcTime,
}

/// What became of a job.
#[derive(Debug)]
pub enum Fate {
    /// It ran to an end.
    Ended(Finished),
    /// Nothing was run: see [`AttemptTaken`].
    Taken(AttemptTaken),
    /// Nothing was run: the job before it takes long, or the launcher is gone. It may be handed to any runner.
    Returned,
}

/// Runs trials one after another through its own launcher process.
#[derive(Debug)]
pub struct TrialRunner {
    program: PathBuf,
    launcher: Child,
    socket: UnixStream,
    kill: KillHandle,
    inbox: Inbox,
    /// Orders that are not yet sent.
    outbox: Vec<u8>,
    /// What the launcher has, oldest first.
    handed: VecDeque<Handed>,
    /// Why the launcher could not be told.
    broken: Option<io::Error>,
    /// What the launcher knows as inherited.
    inherited: Option<Arc<[String]>>,
    /// Whether jobs that are handed over together are waited for together.
    together: bool,
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
    /// Asks the trial to end; asked again, it is ended by force. Trials that the launcher has and has not started are left
    /// out, and so is what it is handed later.
    pub fn kill(&self) {
        let mut buffer = Vec::new();
        if let Ok(mut line) = self.0.lock() {
            line.ended = true;
            // A launcher that is gone has ended its trial already.
            let _ = wire::encode(&Order::Kill, &mut buffer)
                .and_then(|()| line.socket.write_all(&buffer));
        }
    }
}

impl TrialRunner {
    /// Starts a launcher from `program` (this very binary), which must call [`crate::serve_launcher`] when its first
    /// argument is `__launch`.
    pub fn start(program: &Path) -> Result<Self, RunnerError> {
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
            launcher,
            socket,
            kill,
            inbox: Inbox::default(),
            outbox: Vec::new(),
            handed: VecDeque::new(),
            broken: None,
            inherited: None,
            together: false,
        })
    }

    /// From now on jobs that are handed over together are waited for together: the launcher wakes nobody before it is through
    /// with them, unless one takes long.
    pub fn wait_together(&mut self) {
        self.together = true;
    }

    /// A handle to end trials of this runner.
    pub fn kill_handle(&self) -> KillHandle {
        self.kill.clone()
    }

    /// How many jobs the launcher has.
    pub fn jobs(&self) -> usize {
        self.handed.len()
    }

    /// Prepares to hand a job to the launcher, which [`TrialRunner::hand`] then does.
    pub fn begin(&mut self, job: TrialJob, at: UtcTime, output: Output) {
        let inputs = job.makes.hash_inputs();
        let mut launch = launch_of(&job, output, self.together);
        launch.own = (job.argv.first()).is_some_and(|program| Path::new(program) == self.program);
        let known = self
            .inherited
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, &job.inherited));
        let mut orders = Vec::with_capacity(2);
        if !known {
            let inherited = job.inherited.iter().map(String::as_str);
            orders.push(Order::Inherit(Words::of(inherited)));
            self.inherited = Some(Arc::clone(&job.inherited));
        }
        orders.push(Order::Run(Box::new(launch)));
        for order in orders {
            if let Err(error) = wire::encode(&order, &mut self.outbox) {
                self.broken = Some(error);
            }
        }
        self.handed.push_back(Handed { job, inputs, at });
    }

    /// Hands the launcher what is prepared. What comes of it, also where this fails, [`TrialRunner::wait`] says.
    pub fn hand(&mut self) {
        if self.outbox.is_empty() {
            return;
        }
        let sent = match self.kill.0.lock() {
            Ok(mut line) => {
                // Said before what it is about: nothing of that may start.
                let mut refusal = Vec::new();
                let refused = if line.ended {
                    wire::encode(&Order::Refuse, &mut refusal)
                } else {
                    Ok(())
                };
                refused
                    .and_then(|()| line.socket.write_all(&refusal))
                    .and_then(|()| line.socket.write_all(&self.outbox))
            }
            Err(_) => Err(io::Error::other("a kill was cut short")),
        };
        self.outbox.clear();
        if let Err(error) = sent {
            self.broken = Some(error);
        }
    }

    /// Waits until something becomes of the oldest jobs, and gives those. `output` is called with what the trial
    /// writes, where that is asked for.
    pub fn wait(
        &mut self,
        now: impl Fn() -> UtcTime,
        output: &mut dyn FnMut(&TrialJob, OutputChunk<'_>),
    ) -> Vec<(TrialJob, Fate)> {
        let mut fates = Vec::new();
        while fates.is_empty() && !self.handed.is_empty() {
            let heard = match self.broken.take() {
                Some(error) => Err(error),
                None => self.hear(&now, output, &mut fates),
            };
            let error = match heard {
                Ok(true) => continue,
                Ok(false) => io::Error::from(io::ErrorKind::UnexpectedEof),
                Err(error) => error,
            };
            let _ = self.launcher.kill();
            let _ = self.launcher.wait();
            // What it told before its end counts.
            while let Ok(true) = self.hear(&now, output, &mut fates) {}
            self.give_up(&error, &now, &mut fates);
            self.restart();
        }
        fates
    }

    /// Takes in what the launcher says, and waits for it; `false` when it is gone.
    fn hear(
        &mut self,
        now: impl Fn() -> UtcTime,
        output: &mut dyn FnMut(&TrialJob, OutputChunk<'_>),
        fates: &mut Vec<(TrialJob, Fate)>,
    ) -> io::Result<bool> {
        if !self.inbox.fill(&self.socket)? {
            return Ok(false);
        }
        while let Some(report) = self.inbox.next()? {
            match report {
                Report::Ended(ended) => {
                    if let Some(handed) = self.handed.pop_front() {
                        fates.push(ended_job(handed, ended, &now));
                    }
                }
                Report::Output { stderr, bytes } => {
                    if let Some(handed) = self.handed.front() {
                        let bytes = &bytes;
                        output(&handed.job, OutputChunk { stderr, bytes });
                    }
                }
                Report::Returned(count) => {
                    // The one that runs stays; those right behind it come back.
                    let last = self.handed.len().min(1 + count);
                    let returned = self.handed.drain(1.min(last)..last);
                    fates.extend(returned.map(|handed| (handed.job, Fate::Returned)));
                }
            }
        }
        Ok(true)
    }

    /// The launcher is gone. What it had begun is lost with it, also what had ended and was not told; the rest may run
    /// elsewhere.
    fn give_up(
        &mut self,
        error: &io::Error,
        now: impl Fn() -> UtcTime,
        fates: &mut Vec<(TrialJob, Fate)>,
    ) {
        // The first thing that a launcher makes is the directory. Where there is none at all, the first job still counts
        // as begun: launchers that cannot live must not be tried for ever.
        let is_begun = |handed: &Handed| handed.job.dir.exists();
        let begun = self.handed.iter().take_while(|handed| is_begun(handed));
        let begun = begun.count().max(1).min(self.handed.len());
        let lost: Vec<Handed> = self.handed.drain(..begun).collect();
        let strays = end_strays(|dir| lost.iter().any(|handed| handed.job.dir == dir));
        let last = lost.len().saturating_sub(1);
        for (place, Handed { job, inputs, at }) in lost.into_iter().enumerate() {
            let finished = Finished {
                inputs,
                started_at: at,
                ended_at: now(),
                end: End::Lost {
                    why: error.to_string(),
                    // They are mostly of the one that ran.
                    strays: if place == last { strays } else { 0 },
                },
            };
            fates.push((job, Fate::Ended(finished)));
        }
        let waited = self.handed.drain(..);
        fates.extend(waited.map(|handed| (handed.job, Fate::Returned)));
    }

    /// Replaces a launcher that was lost. Where that fails the next job says so.
    fn restart(&mut self) {
        self.inherited = None;
        self.inbox = Inbox::default();
        self.outbox.clear();
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

fn ended_job(handed: Handed, ended: Box<Ended>, now: impl Fn() -> UtcTime) -> (TrialJob, Fate) {
    let Handed { job, inputs, .. } = handed;
    if ended.failure.as_ref().is_some_and(|failure| failure.taken) {
        return (job, Fate::Taken(AttemptTaken));
    }
    // By the clock that cannot be set back; one that was not started ended just now.
    let ago = match ended.exit_ns {
        0 => 0,
        exit_ns => wire::monotonic_ns().saturating_sub(exit_ns),
    };
    let ended_at = now().before(Duration::from_nanos(ago));
    let finished = Finished {
        inputs,
        started_at: ended_at.before(Duration::from_nanos(ended.wall_ns)),
        ended_at,
        end: End::Reported(ended),
    };
    (job, Fate::Ended(finished))
}

fn launch_of(job: &TrialJob, output: Output, together: bool) -> Launch {
    let JobLimits {
        cpu,
        memory_bytes,
        processes,
        grace,
        ..
    } = job.limits;
    // Who reads a metric from its logs, or watches them, needs them on disk.
    let apart = job.metrics.iter().all(is_apart_from_logs);
    let holds = job.packs && output == Output::Kept && apart;
    let millis = |seconds: f64| (seconds * 1000.0).ceil().max(0.0) as u64;
    Launch {
        argv: Words::of(job.argv.iter().map(String::as_str)),
        own: false,
        env: Words::of(job.env.iter().map(String::as_str)),
        workdir: Words::of([&*job.workdir.to_string_lossy()]),
        dir: job.dir.to_string_lossy().into_owned(),
        script: job.script.clone(),
        limits: LaunchLimits {
            wall_ms: job.limits.left().map(millis),
            cpu_ms: cpu.map(millis),
            memory_bytes,
            processes,
            grace_ms: millis(grace),
            notice: job.checkpoint.as_ref().map(JobCheckpoint::signal_number),
            watch_memory: job.metrics.iter().any(is_peak_memory),
        },
        log_limit: job.log_limit,
        discards_output: job.discards_output,
        furnished: if holds {
            Furnished::Late
        } else {
            Furnished::AtOnce
        },
        access: job.access,
        stream: output == Output::Streamed,
        counters: counters(&job.metrics),
        timed: (job.timed.as_deref()).map(|timed| launch_timed(timed, together)),
    }
}

fn launch_timed(timed: &Timed, together: bool) -> LaunchTimed {
    LaunchTimed {
        stdin: timed.input.clone(),
        stdout: match &timed.output {
            TimedOutput::Discard => TimedStdout::Null,
            TimedOutput::Pipe => TimedStdout::Read,
            TimedOutput::File(path) => TimedStdout::File(path.clone()),
        },
        keeps_failed: timed.accepts == Accepts::Success,
        // Field by field: what may be left out of a file may not be left out here.
        cpu: timed.quiet.cpu,
        nice: timed.quiet.nice,
        fixed_addresses: timed.quiet.fixed_addresses,
        together,
    }
}
