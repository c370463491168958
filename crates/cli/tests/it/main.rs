//! The built binary as people use it: every module drives it in a project of its own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    unreachable_pub,
    reason = "a test fails by panicking, and says what it skips"
)]

mod agents;
mod answers;
mod archive;
mod bench;
mod bench_counters;
mod bench_kept;
mod bisect;
mod bounded;
mod browser;
mod chain;
mod code;
mod common;
mod comparisons;
mod curves;
mod data_root;
mod devtools;
mod dice;
mod docs;
mod doctor;
mod error_rates;
mod examples;
mod experiments;
mod explained;
mod foreign;
mod foreign_words;
mod gate;
mod history;
mod hostile;
mod learning_curves;
mod leases;
mod looks;
mod main_job;
mod masked_reports;
mod messages;
#[path = "../../../interop/tests/it/mlflow_server.rs"]
mod mlflow_server;
mod output;
mod promises;
mod python_package;
mod random_specs;
mod remeasure;
mod report;
mod report_charts;
mod report_explored;
mod reproduce;
mod retention;
mod same_as_csv;
mod schedulers;
mod serve;
mod serve_in_browser;
mod shells;
mod skypilot;
mod slurm;
mod sql;
mod starting;
mod stores;
mod sweeps;
mod tables;
mod template_engine;
mod timing;
mod torture;
mod trackers;
mod unreadable;
