#![allow(clippy::unwrap_used, reason = "this crate is tests alone")]
//! Files of other tools, made by those tools, read to what the tools' own libraries read from them.

mod agents;
mod fixtures;
mod hostile;
mod parquet;
mod recognise;
mod timings;
mod training;
