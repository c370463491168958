//! The statistics against goldens, properties and simulations.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test fails by panicking, and says what it skips"
)]

mod agreement;
mod arbitrary;
mod binary;
mod bootstrap_behaviour;
mod bootstrap_goldens;
mod common;
mod descriptive;
mod history_goldens;
mod many;
mod mean_permutations;
mod one_arm;
mod passk;
mod planning;
mod rank;
mod resampling_properties;
mod sequential_error_control;
mod sequential_goldens;
mod series_goldens;
mod special_functions;
mod suite_goldens;
mod timing;
mod two_arm;
