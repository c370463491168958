//! What people read: tables, verdicts and pages, each as a snapshot or under arbitrary input.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test fails by panicking, and says what it skips"
)]

mod comparison;
mod curves;
mod never_panics;
mod summary;
