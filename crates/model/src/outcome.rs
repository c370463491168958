//! How a trial ended, and why.

use fairtrial_text::escape::terminal_line;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The closed vocabulary of endings. Failures stay in every denominator; `infra` is never charged to an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Ran to its end, exit code 0, every required metric there.
    Ok,
    /// Its own fault: non-zero exit, a signal it raised, a required metric missing.
    Failed,
    /// Passed its wall or CPU time limit.
    Timeout,
    /// Killed for memory.
    Oom,
    /// The machine's fault: could not start, node lost, disk full.
    Infra,
    /// Stopped by the user.
    Cancelled,
    /// Never started: a task that it needs did not succeed.
    Skipped,
}

impl Outcome {
    /// Every outcome, in the order tables show them.
    pub const ALL: [Self; 7] = [
        Self::Ok,
        Self::Failed,
        Self::Timeout,
        Self::Oom,
        Self::Infra,
        Self::Cancelled,
        Self::Skipped,
    ];

    /// The word used in files, tables and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Oom => "oom",
            Self::Infra => "infra",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
        }
    }

    /// The outcome that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }

    /// Whether the trial counts as done: a resumed run does not start it again. Cancelled, skipped and
    /// infrastructure endings are not the arm's answer, so a resumed run tries them again.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Ok | Self::Failed | Self::Timeout | Self::Oom)
    }

    /// Whether this ending is charged to the arm as a failure.
    pub const fn is_arm_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Timeout | Self::Oom)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How the process itself ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// By `exit(code)`.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// Why an outcome other than `ok` came about, in a form that programs can group by and people can read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cause {
    /// Non-zero exit code.
    ExitCode {
        /// The code.
        code: i32,
    },
    /// Ended by a signal that we did not send.
    Signal {
        /// The signal's number.
        signal: i32,
    },
    /// Passed the wall time limit.
    WallTime {
        /// The limit in seconds.
        limit_s: f64,
    },
    /// Passed the CPU time limit.
    CpuTime {
        /// The limit in seconds.
        limit_s: f64,
    },
    /// Killed at the memory limit.
    Memory {
        /// The limit in bytes, where one was set.
        limit_bytes: Option<u64>,
        /// Whether that was one of its processes only, and the program itself went on and ended well.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        went_on: bool,
    },
    /// Ended `ok` but did not report what the spec requires.
    MissingMetric {
        /// The metrics that are missing, with what was looked for.
        metrics: Vec<String>,
    },
    /// Ended `ok` but did not make what the spec says it makes.
    MissingOutput {
        /// The paths, with what the system said.
        outputs: Vec<String>,
    },
    /// The program could not be started.
    Launch {
        /// What the system said.
        message: String,
        /// Whether trying again cannot help (no such program, not executable).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        permanent: bool,
    },
    /// The trial runner or its machine was lost while the trial ran.
    Lost {
        /// What is known.
        message: String,
    },
    /// The scheduler ended the job that ran the trial: it made room, ran out of time, or was cancelled there.
    JobEnded {
        /// How, as far as is known.
        message: String,
        /// Whether the job ran nothing before the trial, which then had the job's time for itself.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        first: bool,
        /// Whether the job had been told that its time runs out.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        warned: bool,
    },
    /// The trial says so itself, through a fact of its own (`fairtrial.cause`, `fairtrial.infra`, `fairtrial.broken`).
    Said {
        /// What it says.
        message: String,
        /// Whether trying again cannot help.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        permanent: bool,
    },
    /// The user stopped the run.
    User,
    /// A task that this one needs did not succeed.
    Needs {
        /// The task.
        task: String,
    },
}

/// Within one line: a message that a trial wrote begins no line of its own.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExitCode { code } => write!(f, "exit code {code}"),
            Self::Signal { signal } => write!(f, "ended by {}", signal_name(*signal)),
            Self::WallTime { limit_s } => write!(f, "passed its time limit of {limit_s} s"),
            Self::CpuTime { limit_s } => write!(f, "passed its CPU time limit of {limit_s} s"),
            Self::Memory {
                limit_bytes,
                went_on,
            } => {
                if *went_on {
                    f.write_str("one of its processes was ")?;
                }
                match limit_bytes {
                    Some(bytes) => write!(f, "killed at its memory limit of {bytes} bytes")?,
                    None => f.write_str("killed for memory")?,
                }
                if *went_on {
                    f.write_str("; the program itself went on")?;
                }
                Ok(())
            }
            Self::MissingMetric { metrics } => {
                let metrics = metrics.join(", ");
                write!(
                    f,
                    "no value for required metric {}",
                    terminal_line(&metrics)
                )
            }
            Self::MissingOutput { outputs } => {
                let outputs = outputs.join(", ");
                write!(f, "did not make its output {}", terminal_line(&outputs))
            }
            Self::Launch { message, .. } | Self::Said { message, .. } => {
                f.write_str(&terminal_line(message))
            }
            Self::Lost { message } => write!(f, "lost: {}", terminal_line(message)),
            Self::JobEnded { message, .. } => {
                write!(f, "its job was ended: {}", terminal_line(message))
            }
            Self::User => f.write_str("stopped by the user"),
            Self::Needs { task } => write!(f, "task `{task}`, which it needs, did not succeed"),
        }
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn words_are_the_serde_form() {
        for outcome in Outcome::ALL {
            assert_eq!(
                serde_json::to_string(&outcome).unwrap(),
                format!("\"{outcome}\"")
            );
            assert_eq!(Outcome::from_word(outcome.word()), Some(outcome));
        }
    }
}
