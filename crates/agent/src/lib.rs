//! Agent tasks: how they are written down, prepared, worked on by an agent in a sandbox, collected and scored.
//!
//! A rollout is one trial. Its program is this product's own binary as a *driver* ([`rollout::drive`]), started by the
//! trial runner like any other program; the driver goes through the phases workspace, setup, agent, collect, verify and score,
//! and reports metrics like any trial. Scoring can be repeated alone ([`rollout::score_again`]).
#![deny(unsafe_code)]

pub mod adapter;
pub mod baseline;
mod bulk;
pub mod check;
mod collect;
pub mod contained;
mod dialogue;
mod error;
pub mod findings;
pub mod format;
mod gate;
mod git;
mod ignored;
mod known_agents;
mod model_api;
mod nested;
mod patch;
mod paths;
pub mod process;
mod provider;
pub mod rollout;
pub mod sandbox;
pub mod score;
mod survey;
pub mod task;
pub mod task_file;
mod tree;
pub mod usage;

pub use error::AgentError;

use fairtrial_model::{Sha256, hex};

/// The first 16 digits of a hash.
pub(crate) fn short_hash(text: impl AsRef<[u8]>) -> String {
    hex(&Sha256::digest(text)[..8])
}
