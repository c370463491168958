//! Runs a helper program for a limited time: a tool that hangs must never hang us.
//!
//! A program gets a process group of its own, so that a Ctrl-C at the terminal is ours alone, and so that a script that is
//! late is ended with all that it started. How it went is a value: it ended, it was late, or it could not start. Whoever
//! calls decides what that means. Trials are not started here but by `fairtrial-trial`, which measures them.
#![forbid(unsafe_code)]

pub mod cgroup;
mod error;
mod find;
mod follow;
pub mod git;
mod program;
#[cfg(test)]
mod tests;

pub use error::ProcessError;
pub use find::find_program;
pub use follow::{End, Follower, Stopped, Stream};
pub use program::{Ended, Program, version};
