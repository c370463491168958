#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

pub mod allocations;
mod catalogue;
mod clock;
mod contract;
mod describe;
mod pace;
pub mod protocol;
mod registry;
mod schema;
mod schema_json;
mod worker;

pub use catalogue::{Catalogue, ImportedModule, Lookup, LookupError, Sources};
pub use contract::{Artifact, Context, Experiment, Failure, Metrics, Phase, Place};
pub use describe::{Better, Description, Headline, InstrumentInfo, Origin};
pub use registry::{Build, Registration, Registry};
pub use schema::{Param, ParamSchema, ParamType};
pub use worker::{main, serve};
