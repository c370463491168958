//! Drives one launcher: hands it a job and waits for the end.

use crate::finished::{End, Finished};
use crate::job::{JobLimits, TrialJob};
use crate::outputs::InputHashes;
use crate::strays::end_strays;
use crate::wire::{self, Ended, Launch, LaunchLimits, Order, Report};
use fairtrial_model::UtcTime;
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
pub struct Begun {
    inputs: InputHashes,
    started_at: UtcTime,
    handed: io::Result<()>,
}

/// Runs trials one after another through its own launcher process.
#[derive(Debug)]
pub struct TrialRunner {
    program: PathBuf,
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
            scratch: Vec::new(),
            inherited: None,
        })
    }

    /// A handle to end trials of this runner.
    pub fn kill_handle(&self) -> KillHandle {
        self.kill.clone()
    }

    /// Hands a job to the launcher. What comes of it is waited for with [`TrialRunner::wait`], once.
    pub fn begin(&mut self, job: &TrialJob, now: impl Fn() -> UtcTime, output: Output) -> Begun {
        let inputs = job.makes.hash_inputs();
        Begun {
            inputs,
            started_at: now(),
            handed: self.hand(job, output),
        }
    }

    /// Waits for the end of the job that was begun. `output` is called with what the trial writes, where that is asked for.
    pub fn wait(
        &mut self,
        job: &TrialJob,
        begun: Begun,
        now: impl Fn() -> UtcTime,
        output: &mut dyn FnMut(OutputChunk<'_>),
    ) -> Result<Finished, AttemptTaken> {
        let Begun {
            inputs,
            started_at,
            handed,
        } = begun;
        let end = match handed.and_then(|()| self.wait_for_end(output)) {
            Ok(Ended {
                failure: Some(failure),
                ..
            }) if failure.taken => return Err(AttemptTaken),
            Ok(ended) => End::Reported(Box::new(ended)),
            Err(error) => {
                let strays = end_strays(|dir| dir == job.dir);
                self.restart();
                End::Lost { error, strays }
            }
        };
        Ok(Finished {
            inputs,
            started_at,
            ended_at: now(),
            end,
        })
    }

    fn hand(&mut self, job: &TrialJob, output: Output) -> io::Result<()> {
        let mut launch = launch_of(job, output);
        launch.own = (job.argv.first()).is_some_and(|program| Path::new(program) == self.program);
        let known = self
            .inherited
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, &job.inherited));
        if !known {
            launch.inherited = Some(job.inherited.to_vec());
            self.inherited = Some(Arc::clone(&job.inherited));
        }
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
        Ok(())
    }

    fn wait_for_end(&mut self, output: &mut dyn FnMut(OutputChunk<'_>)) -> io::Result<Ended> {
        loop {
            match wire::receive(&self.socket, &mut self.scratch)? {
                Some(Report::Ended(ended)) => {
                    if ended.failure.is_some() {
                        // The launcher may have refused before it looked at what is inherited: it is said again.
                        self.inherited = None;
                    }
                    return Ok(*ended);
                }
                Some(Report::Output { stderr, bytes }) => output(OutputChunk {
                    stderr,
                    bytes: &bytes,
                }),
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

fn launch_of(job: &TrialJob, output: Output) -> Launch {
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
        stream: output == Output::Streamed,
    }
}
