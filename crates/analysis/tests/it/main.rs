//! Records to summaries, comparisons and verdicts, through the public functions of this crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test fails by panicking, and says what it skips"
)]

mod common;
mod compare;
mod curves;
mod draft;
mod error_rates;
mod gate;
mod posted;
mod power;
mod registration;
mod sensitivity;
mod sequential;
mod summary;
mod variance;
