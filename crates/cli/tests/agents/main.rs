//! Agent tasks as a user meets them: prepared directories, agents, sandboxes, scores, and scoring again.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test may panic, and says what it skips"
)]

mod cleaning;
#[path = "../common/mod.rs"]
mod common;
mod containers;
#[allow(
    dead_code,
    reason = "shared with the torture tests, of which this needs a part"
)]
#[path = "../torture/dice.rs"]
mod dice;
mod document;
mod example;
mod images;
mod isolation;
mod judge;
mod lab;
mod making;
mod newcomer;
mod outcomes;
mod pod;
mod sandboxes;
mod scoring;
mod setup;
mod validity;
