//! Runs one trial on this machine: starts its program, keeps its output, enforces its limits, measures what it used,
//! collects what it reported, and says how it ended.
//!
//! The local engine calls [`TrialRunner`] in-process; on a cluster node the same binary calls it through `exec`. What
//! a trial sees never depends on who asked.

mod again;
mod checkpoint;
mod collect;
mod curves;
mod finished;
mod inner;
mod job;
mod judge;
mod launcher;
mod limits;
mod outputs;
mod runner;
mod strays;
mod wire;
mod words;

pub use again::{Declarations, count_all_parts, measured_again};
pub use checkpoint::look_at;
pub use collect::{CollectError, Collected, collect};
pub use finished::{Finished, blame_the_machine};
pub use inner::Inner;
pub use job::{JobCheckpoint, JobLimits, TrialJob};
pub use launcher::{HOLD, cannot_count, serve as serve_launcher};
pub use limits::Backend as LimitsOffered;
pub use outputs::Makes;
pub use runner::{AttemptTaken, Fate, KillHandle, Output, OutputChunk, RunnerError, TrialRunner};
pub use strays::end_strays;
