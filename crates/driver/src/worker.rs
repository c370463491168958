//! The driver's end of the worker protocol: starts a worker and listens, whatever it does.

use fairtrial_experiment::protocol::{Reply, Request};
use fairtrial_experiment::{Origin, Sources};
use fairtrial_text::excerpt::excerpt;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a silent worker is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// How long a worker may take to end after its teardown or after it closed its socket.
const FAREWELL: Duration = Duration::from_secs(5);
/// How much is read at once.
const CHUNK: usize = 16 * 1024;
/// A longer line is no reply.
const LONGEST_LINE: usize = 256 << 20;
/// The interpreter where the spec names none.
pub(crate) const DEFAULT_INTERPRETER: &str = "python3";
/// The hidden argument with which this program becomes a worker for its own experiments.
const WORKER_ARGUMENT: &str = "__worker";

/// Why a worker gives no more replies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Lost {
    /// It ended.
    #[error("the worker ended before it answered ({0})")]
    Died(String),
    /// It wrote something else than replies.
    #[error("the worker wrote a line that is no reply of the protocol: {0}")]
    Garbage(String),
    /// It reported what cannot be kept as it is.
    #[error("{0}")]
    Unfit(String),
    /// Its replies are not what it was asked for.
    #[error("the worker does not keep to the protocol: {0}")]
    Amiss(String),
    /// The driver was told to stop.
    #[error("the trial was told to end")]
    Stopped,
    /// It did not answer in time.
    #[error("the worker did not answer within {} s", .0.as_secs())]
    Silent(Duration),
    /// The socket failed.
    #[error("the worker cannot be reached: {0}")]
    Io(String),
}

/// A reply with the bytes it came in, which are what the samples file keeps.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) reply: Reply,
    pub(crate) line: Vec<u8>,
}

/// A running worker.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    child: Child,
    socket: UnixStream,
    buffer: Vec<u8>,
    /// What is read at once, kept so that it is not cleared each time.
    chunk: Box<[u8]>,
    /// Where the next line begins, and how far the buffer has been searched for its end.
    begin: usize,
    searched: usize,
}

/// The command that starts the worker of an experiment.
pub(crate) fn command_for(
    origin: &Origin,
    sources: &Sources,
    base: &Path,
    own_program: &Path,
) -> Command {
    match origin {
        Origin::Builtin => {
            let mut command = Command::new(own_program);
            command.arg(WORKER_ARGUMENT);
            command
        }
        Origin::Python { module } => {
            let mut command = Command::new(interpreter(sources, base));
            command.args(["-m", "fairtrial.worker", "--path"]);
            command.arg(base).arg(module);
            command
        }
        Origin::Program { program } => Command::new(base.join(program)),
    }
}

/// The spec's Python; a path is relative to the spec's folder, a name is looked for in `PATH`.
pub(crate) fn interpreter(sources: &Sources, base: &Path) -> PathBuf {
    let name = sources.interpreter.as_deref();
    let name = name.unwrap_or(DEFAULT_INTERPRETER);
    if name.contains('/') {
        base.join(name)
    } else {
        name.into()
    }
}

impl WorkerProcess {
    /// Starts a worker; its standard input is the socket, its other streams are the driver's.
    pub(crate) fn start(mut command: Command) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_read_timeout(Some(LOOK))?;
        let child = command.stdin(Stdio::from(OwnedFd::from(theirs))).spawn()?;
        Ok(Self {
            child,
            socket: ours,
            buffer: Vec::new(),
            chunk: vec![0; CHUNK].into(),
            begin: 0,
            searched: 0,
        })
    }

    /// The worker's process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks something.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<(), Lost> {
        let mut line = serde_json::to_vec(request).map_err(|error| Lost::Io(error.to_string()))?;
        line.push(b'\n');
        match self.socket.write_all(&line) {
            Ok(()) => Ok(()),
            // A worker that is gone explains itself by how it ended.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                Err(Lost::Died(self.farewell()))
            }
            Err(error) => Err(Lost::Io(error.to_string())),
        }
    }

    /// Waits for the next reply, as long as it takes.
    pub(crate) fn hear(&mut self, stop: &AtomicBool) -> Result<Heard, Lost> {
        self.hear_within(stop, None)
    }

    /// Waits for the next reply for a limited time.
    pub(crate) fn hear_within(
        &mut self,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<Heard, Lost> {
        let asked = Instant::now();
        loop {
            if let Some(line) = self.take_line() {
                return parse(line);
            }
            if self.buffer.len() - self.begin > LONGEST_LINE {
                return Err(Lost::Garbage("it does not end".to_owned()));
            }
            match self.socket.read(&mut self.chunk) {
                Ok(0) => return Err(Lost::Died(self.farewell())),
                Ok(read) => self.keep(read),
                Err(error) if is_timeout(&error) => {
                    if stop.load(Ordering::Relaxed) {
                        return Err(Lost::Stopped);
                    }
                    // What the worker started may hold its socket open after its end.
                    if let Ok(Some(status)) = self.child.try_wait() {
                        return Err(Lost::Died(how(status)));
                    }
                    if let Some(limit) = limit.filter(|limit| asked.elapsed() > *limit) {
                        return Err(Lost::Silent(limit));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                    return Err(Lost::Died(self.farewell()));
                }
                Err(error) => return Err(Lost::Io(error.to_string())),
            }
        }
    }

    /// Takes over so many bytes of the chunk.
    fn keep(&mut self, read: usize) {
        if self.begin == self.buffer.len() {
            self.buffer.clear();
            (self.begin, self.searched) = (0, 0);
        } else if self.begin > (1 << 20) {
            self.buffer.drain(..self.begin);
            self.searched -= self.begin;
            self.begin = 0;
        }
        self.buffer.extend_from_slice(&self.chunk[..read]);
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let rest = &self.buffer[self.searched..];
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = self.searched + end;
        let line = self.buffer[self.begin..end].to_vec();
        (self.begin, self.searched) = (end + 1, end + 1);
        Some(line)
    }

    /// How it ended, in words; one that lingers is ended.
    fn farewell(&mut self) -> String {
        let asked = Instant::now();
        while asked.elapsed() < FAREWELL {
            match self.child.try_wait() {
                Ok(Some(status)) => return how(status),
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                Err(error) => return error.to_string(),
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        "it closed its socket and had to be killed".to_owned()
    }

    /// Says goodbye: closes the socket, and ends a worker that does not end by itself.
    pub(crate) fn end(mut self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        self.farewell();
    }

    /// Ends it at once; one that leads a group with all that it started.
    pub(crate) fn kill(mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(line: Vec<u8>) -> Result<Heard, Lost> {
    match serde_json::from_slice(&line) {
        Ok(reply) => Ok(Heard { reply, line }),
        // What `serde_json` says where tables are nested deeper than 127 levels.
        Err(error) if error.to_string().contains("recursion limit") => Err(Lost::Unfit(format!(
            "the worker's reply is nested deeper than 100 levels; report less of it, or leave it in a file: `{}`",
            quoted(&line)
        ))),
        Err(error) => Err(Lost::Garbage(format!("`{}` ({error})", quoted(&line)))),
    }
}

/// The beginning of a line for messages. Quotes stay as they are: lines are JSON, and full of them.
pub(crate) fn quoted(line: &[u8]) -> String {
    excerpt(&String::from_utf8_lossy(line), 120)
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}
