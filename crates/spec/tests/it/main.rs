//! Specs as people write them: accepted ones, refused ones, and the generated reference.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test fails by panicking, and says what it skips"
)]

mod accepted;
mod arms;
mod common;
mod diagnostics;
mod episodes;
mod filter;
mod generated;
mod never_panics;
mod semantics;
