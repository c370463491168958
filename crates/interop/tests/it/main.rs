#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub,
    reason = "a test fails by panicking, and says why it is skipped"
)]
//! Files of other tools, made by those tools, read to what the tools' own libraries read from them.

mod agents;
mod fixtures;
mod hostile;
mod mlflow_server;
mod online;
mod parquet;
mod recognise;
mod shared;
mod timings;
mod training;
