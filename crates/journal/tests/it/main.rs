//! Run directories on a real file system: what is written, what is read back, and what survives a death.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test fails by panicking, and says what it skips"
)]

mod common;
mod docs;
mod index;
mod journal;
mod properties;
mod provenance;
mod torture;
mod views;
