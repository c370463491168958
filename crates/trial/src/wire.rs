//! What the runner and its launcher say to each other: length-prefixed messages over a socket pair.
//!
//! Both ends are always the same binary, so the form needs no version.

use fairtrial_model::LimitBackend;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{self, Read, Write};

/// From the runner to its launcher.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Start this program; refused while another one runs.
    Run(Box<Launch>),
    /// End the program that runs, politely and then by force.
    Kill,
}

/// One program to start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Launch {
    /// Program and arguments, without an interior NUL.
    pub argv: Vec<String>,
    /// Whether the program is this very binary.
    pub own: bool,
    /// What many trials inherit, as `NAME=value`; absent means the same as the program before.
    pub inherited: Option<Vec<String>>,
    /// This trial's own variables, as `NAME=value`.
    pub env: Vec<String>,
    /// Working directory.
    pub workdir: String,
    /// The attempt's own directory; the launcher makes it.
    pub dir: String,
    /// Limits.
    pub limits: LaunchLimits,
    /// Bytes kept of each output stream.
    pub log_limit: u64,
    /// Whether output is also sent back as it comes.
    pub stream: bool,
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
    /// The program ended, or could not be started.
    Ended(Box<Ended>),
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
    /// What enforced the limits, where there were any.
    pub limits_by: Option<LimitBackend>,
    /// Bytes of standard output and error that were left out of the logs.
    pub dropped: [u64; 2],
    /// Why a log is not complete, where it is not.
    pub log_failure: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

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

/// Longest message accepted; a command line cannot be longer on any system we know.
const LARGEST: usize = 64 << 20;

/// Writes one message, `buffer` being scratch space kept between calls.
pub(crate) fn send<T: Serialize>(
    mut to: impl Write,
    message: &T,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    buffer.clear();
    buffer.extend_from_slice(&[0; 4]);
    let encoded = postcard::to_extend(message, std::mem::take(buffer)).map_err(io::Error::other)?;
    *buffer = encoded;
    let length = u32::try_from(buffer.len() - 4).map_err(io::Error::other)?;
    buffer[..4].copy_from_slice(&length.to_le_bytes());
    to.write_all(buffer)
}

/// Reads one message; `None` when the other end is gone.
pub(crate) fn receive<T: DeserializeOwned>(
    mut from: impl Read,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    if let Err(error) = from.read_exact(&mut length) {
        return if error.kind() == io::ErrorKind::UnexpectedEof {
            Ok(None)
        } else {
            Err(error)
        };
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LARGEST {
        return Err(io::Error::other("message too long"));
    }
    buffer.resize(length, 0);
    from.read_exact(buffer)?;
    postcard::from_bytes(buffer)
        .map(Some)
        .map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::{Killed, Order, Report, receive, send};

    #[test]
    fn messages_round_trip_and_an_end_is_seen() {
        let (mut wire, mut buffer) = (Vec::new(), Vec::new());
        let ended = super::Ended {
            killed: Some(Killed::Wall),
            wall_ns: 7,
            ..Default::default()
        };
        send(&mut wire, &Report::Ended(Box::new(ended)), &mut buffer).unwrap();
        let mut from = wire.as_slice();
        let back: Option<Report> = receive(&mut from, &mut buffer).unwrap();
        assert!(matches!(back, Some(Report::Ended(ended)) if ended.wall_ns == 7));
        assert!(receive::<Order>(&mut from, &mut buffer).unwrap().is_none());
    }

    #[test]
    fn garbage_is_an_error_and_not_a_panic() {
        let mut buffer = Vec::new();
        assert!(receive::<Order>(&[255u8; 64][..], &mut buffer).is_err());
        assert!(receive::<Order>(&[2, 0, 0, 0, 99, 99][..], &mut buffer).is_err());
    }
}
