//! Curves of trials: what is packed is what the files hold, whatever happens to either.
#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    unreachable_pub,
    reason = "a test fails by panicking"
)]

mod columns;
mod lab;
mod same;
