//! Registered experiments: what one is, what parameters it takes, and how a worker process offers it.
//!
//! An experiment has `setup` once, `execute_once` per iteration and `teardown` always. It lives in a worker process
//! that speaks the [worker protocol](protocol); the clock is read there, right around the work. This crate holds both
//! ends of the protocol's messages, the parameter schema that specs are checked against, and the Rust SDK:
//!
//! ```no_run
//! use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Param, ParamSchema, Registration, Registry};
//!
//! struct Sum { size: u64 }
//!
//! impl Experiment for Sum {
//!     fn execute_once(&mut self, _: &mut Context) -> Result<Metrics, Failure> {
//!         let sum: u64 = (0..self.size).sum();
//!         Ok([("sum".to_owned(), sum.into())].into_iter().collect())
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     let mut registry = Registry::new();
//!     registry.register(Registration {
//!         slug: "sum",
//!         summary: "Adds the first numbers.",
//!         tags: &["example"],
//!         params: ParamSchema::of([Param::whole("size", 1000).at_least(1.0).doc("How many numbers")]),
//!         build: |params| Ok(Box::new(Sum { size: params["size"].as_u64().unwrap_or_default() })),
//!     });
//!     fairtrial_experiment::main(&registry)
//! }
//! ```
#![forbid(unsafe_code)]

mod catalogue;
mod contract;
mod describe;
pub mod protocol;
mod registry;
mod schema;
mod schema_json;
mod worker;

pub use catalogue::{Catalogue, Lookup, LookupError, Sources};
pub use contract::{Artifact, Context, Experiment, Failure, Metrics, Phase, Place};
pub use describe::{Description, InstrumentInfo, Origin};
pub use registry::{Build, Registration, Registry};
pub use schema::{Param, ParamSchema, ParamType};
pub use worker::{main, serve};
