//! Spec text (TOML, YAML, JSON) to a validated [`Spec`], with diagnostics that point at the place.
#![forbid(unsafe_code)]

mod spec;

pub use spec::*;
