//! Agent tasks as a user meets them: prepared directories, agents, sandboxes, scores, and scoring again.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test may panic, and says what it skips"
)]

#[path = "../common/mod.rs"]
mod common;
mod document;
mod isolation;
mod judge;
mod lab;
mod outcomes;
mod sandboxes;
mod scoring;
