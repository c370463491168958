//! What counts the instructions of a program, instead of its time.

use serde::Serialize;

/// What counts the instructions of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// valgrind's simulated CPU: the same program always gives the same number, or nearly so.
    Callgrind,
}

/// It says how many on standard error; what it writes besides is of no use here.
pub(super) const VALGRIND: [&str; 3] = [
    "valgrind",
    "--tool=callgrind",
    "--callgrind-out-file=/dev/null",
];
/// How it says that.
pub(super) const COLLECTED: &str = r"Collected : ([0-9]+)";
