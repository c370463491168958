//! What the runner and its launcher say to each other: length-prefixed messages over a socket pair.
//!
//! Both ends are always the same binary, so the form needs no version.

use crate::words::Words;
use fairtrial_model::{Access, HardwareCounter, LimitBackend};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::io::{self, Read};

/// From the runner to its launcher.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// What the programs that are ordered from here on inherit, as `NAME=value`.
    Inherit(Words),
    /// Start this program, after those that were ordered before.
    Run(Box<Launch>),
    /// End the program that runs, politely and then by force; those that wait behind it are not started.
    Kill,
    /// Start nothing that is ordered from here on.
    Refuse,
}

/// One program to start.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Default))]
pub(crate) struct Launch {
    /// Program and arguments.
    pub argv: Words,
    /// Whether the program is this very binary.
    pub own: bool,
    /// This trial's own variables, as `NAME=value`.
    pub env: Words,
    /// Working directory: one word.
    pub workdir: Words,
    /// The attempt's own directory; the launcher makes it.
    pub dir: String,
    /// The text of `command.sh` in it.
    pub script: Option<String>,
    /// Limits.
    pub limits: LaunchLimits,
    /// Bytes kept of each output stream.
    pub log_limit: u64,
    /// Who may read its directory.
    pub access: Access,
    /// Whether the system throws away its standard output.
    pub discards_output: bool,
    /// When its logs and its script are put into its directory.
    pub furnished: Furnished,
    /// Whether output is also sent back as it comes.
    pub stream: bool,
    /// What the processor counts meanwhile.
    pub counters: Vec<HardwareCounter>,
    /// How it is timed as a whole; nothing is then made on disk for it unless it fails.
    pub timed: Option<LaunchTimed>,
}

/// When the logs and the script of a program are put into its directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Furnished {
    /// Before it starts.
    #[default]
    AtOnce,
    /// When it takes long, says much, or does not end well; what it says is held in memory until then.
    Late,
}

impl Launch {
    /// Whether its directory is left bare as long as it is short and says little.
    pub(crate) fn holds(&self) -> bool {
        self.furnished == Furnished::Late
    }
}

/// The files of a program that is timed as a whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LaunchTimed {
    /// The file that is its standard input.
    pub stdin: Option<String>,
    /// What becomes of its standard output.
    pub stdout: TimedStdout,
    /// Whether one that ends with another code than 0 leaves its directory and what it said.
    pub keeps_failed: bool,
    /// The CPU that it is kept on.
    pub cpu: Option<u32>,
    /// Its priority.
    pub nice: Option<i32>,
    /// Whether its addresses are the same in every run.
    pub fixed_addresses: bool,
    /// Whether its end may be told with those that were ordered behind it: the runner waits for all of them.
    pub together: bool,
}

/// What becomes of the standard output of a program that is timed as a whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum TimedStdout {
    /// The system throws it away.
    Null,
    /// It is read and thrown away.
    Read,
    /// It goes into this file.
    File(String),
}

/// Limits as the launcher needs them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct LaunchLimits {
    /// Wall milliseconds.
    pub wall_ms: Option<u64>,
    /// CPU milliseconds of the whole trial.
    pub cpu_ms: Option<u64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processes at once.
    pub processes: Option<u64>,
    /// Milliseconds between the polite and the forced end.
    pub grace_ms: u64,
    /// The signal after which the program saves its state, in place of SIGTERM: what outlives it has the same time.
    pub notice: Option<i32>,
    /// Whether the peak of its memory is asked for, which only a control group tells for small programs.
    pub watch_memory: bool,
}

impl LaunchLimits {
    /// Whether something is to be limited for which there are control groups.
    pub(crate) fn are_any(&self) -> bool {
        self.memory_bytes.is_some() || self.processes.is_some() || self.cpu_ms.is_some()
    }
}

/// From the launcher to the runner.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Output as it comes, where asked for.
    Output {
        /// Whether it is standard error.
        stderr: bool,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The oldest program that was ordered ended, or could not be started.
    Ended(Box<Ended>),
    /// The program that runs takes long: so many that were ordered behind it are not going to be started here.
    Returned(usize),
}

/// How it ended and what it used.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// Why it could not be started.
    pub failure: Option<LaunchFailure>,
    /// Raw wait status.
    pub status: i32,
    /// Why the launcher ended it, where it did.
    pub killed: Option<Killed>,
    /// Wall nanoseconds.
    pub wall_ns: u64,
    /// When it ended, by [`monotonic_ns`]; 0 where it was not started.
    pub exit_ns: u64,
    /// Nanoseconds that the launcher was busy with it: what comes before the program and after it included.
    pub busy_ns: u64,
    /// User CPU microseconds.
    pub user_us: u64,
    /// Kernel CPU microseconds.
    pub sys_us: u64,
    /// Largest resident size of one process, in bytes.
    pub max_rss: u64,
    /// What every child inherits from the launcher, in bytes.
    pub rss_floor: u64,
    /// Peak of the trial's control group, in bytes.
    pub cgroup_peak: Option<u64>,
    /// Kills for memory that the control group counted.
    pub oom_kills: u64,
    /// Minor page faults.
    pub minor_faults: u64,
    /// Major page faults.
    pub major_faults: u64,
    /// Voluntary context switches.
    pub voluntary: u64,
    /// Involuntary context switches.
    pub involuntary: u64,
    /// Blocks read.
    pub blocks_in: u64,
    /// Blocks written.
    pub blocks_out: u64,
    /// Nanoseconds on the run queue.
    pub run_delay_ns: Option<u64>,
    /// Processes that outlived the program and were ended.
    pub leftovers: u32,
    /// Whether there may be a file of reported metrics.
    pub reported: bool,
    /// What enforced the limits, where there were any.
    pub limits_by: Option<LimitBackend>,
    /// Bytes of standard output and error that were left out of the logs.
    pub dropped: [u64; 2],
    /// What it said on standard output and error, where that was held to its end: its directory has no logs.
    pub held: Option<[String; 2]>,
    /// Why a log is not complete, where it is not.
    pub log_failure: Option<String>,
    /// What the processor counted.
    pub counted: BTreeMap<HardwareCounter, u64>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// The last stage of starting a program: it becomes it.
pub(crate) const RUN_THE_PROGRAM: &str = "run the program";

/// Why a program could not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LaunchFailure {
    /// What was being done, for people.
    pub stage: String,
    /// The system's error number.
    pub errno: i32,
    /// Whether the attempt's directory was there already: the attempt's number is used up.
    pub taken: bool,
}

impl From<LaunchFailure> for Ended {
    fn from(failure: LaunchFailure) -> Self {
        Self {
            failure: Some(failure),
            ..Self::default()
        }
    }
}

/// Why the launcher ended a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Killed {
    /// Wall time.
    Wall,
    /// CPU time of the whole trial.
    Cpu,
    /// The runner asked for it.
    Asked,
}

/// The machine's monotonic clock, which both ends read alike.
pub(crate) fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Longest message accepted; a command line cannot be longer on any system we know.
const LARGEST: usize = 64 << 20;

/// Adds one message to what is to be sent.
pub(crate) fn encode<T: Serialize>(message: &T, buffer: &mut Vec<u8>) -> io::Result<()> {
    let start = buffer.len();
    buffer.extend_from_slice(&[0; 4]);
    let encoded = postcard::to_extend(message, std::mem::take(buffer)).map_err(io::Error::other)?;
    *buffer = encoded;
    let length = u32::try_from(buffer.len() - start - 4).map_err(io::Error::other)?;
    buffer[start..start + 4].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// Bytes that one read takes at most.
const PIECE: usize = 16 * 1024;

/// Messages as they come: one read may bring several, or a part of one.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    buffer: Vec<u8>,
    /// What of the buffer has been given out.
    taken: usize,
}

impl Inbox {
    /// Reads once, and waits for it; `false` when the other end is gone.
    pub(crate) fn fill(&mut self, mut from: impl Read) -> io::Result<bool> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let known = self.buffer.len();
        self.buffer.resize(known + PIECE, 0);
        let read = loop {
            match from.read(&mut self.buffer[known..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer
            .truncate(known + read.as_ref().map_or(0, |read| *read));
        Ok(read? > 0)
    }

    /// The next whole message that is there.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let rest = &self.buffer[self.taken..];
        let Some((length, rest)) = rest.split_first_chunk() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > LARGEST {
            return Err(io::Error::other("message too long"));
        }
        let Some(message) = rest.get(..length) else {
            return Ok(None);
        };
        let message = postcard::from_bytes(message).map_err(io::Error::other)?;
        self.taken += 4 + length;
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, Inbox, Killed, Order, Report, encode};

    fn ended(wall_ns: u64) -> Report {
        Report::Ended(Box::new(Ended {
            killed: Some(Killed::Wall),
            wall_ns,
            ..Ended::default()
        }))
    }

    #[test]
    fn messages_that_come_together_or_in_pieces_are_told_apart() {
        let mut wire = Vec::new();
        encode(&ended(7), &mut wire).unwrap();
        encode(&ended(8), &mut wire).unwrap();
        let (first, second) = wire.split_at(wire.len() - 3);
        let mut inbox = Inbox::default();
        assert!(inbox.fill(first).unwrap());
        let one = inbox.next::<Report>().unwrap();
        assert!(matches!(one, Some(Report::Ended(ended)) if ended.wall_ns == 7));
        assert!(inbox.next::<Report>().unwrap().is_none());
        assert!(inbox.fill(second).unwrap());
        let two = inbox.next::<Report>().unwrap();
        assert!(matches!(two, Some(Report::Ended(ended)) if ended.wall_ns == 8));
        assert!(inbox.next::<Report>().unwrap().is_none());
        assert!(!inbox.fill(&[][..]).unwrap());
    }

    #[test]
    fn garbage_is_an_error_and_not_a_panic() {
        for garbage in [&[255u8; 64][..], &[2, 0, 0, 0, 99, 99][..]] {
            let mut inbox = Inbox::default();
            inbox.fill(garbage).unwrap();
            assert!(inbox.next::<Order>().is_err());
        }
    }
}
