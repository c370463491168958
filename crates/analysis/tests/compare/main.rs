//! Comparisons: which method, which word, what is said about the rest.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test fails by panicking, and its parts see each other"
)]

mod choices;
#[path = "../common/mod.rs"]
mod common;
mod definitions;
mod extremes;
mod failures;
mod fairness;
mod files;
mod lab;
mod left_out;
mod pairs;
mod rankings;
mod suites;
mod tasks;
mod timings;
