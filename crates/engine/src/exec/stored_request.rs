//! What is wanted of a node whose work is in a store.

use super::Owner;
use fairtrial_model::UtcTime;
use fairtrial_store::Store;
use std::path::PathBuf;

/// One chunk to run, with its work in a store.
pub struct StoredExecRequest {
    /// The store.
    pub store: Store,
    /// The run's key in it.
    pub run: String,
    /// Number of the chunk.
    pub chunk: u64,
    /// This very binary, from which the launcher is started.
    pub program: PathBuf,
    /// Its version, which must be that of the controller.
    pub version: String,
    /// The environment on this node, from which trials inherit.
    pub environment: Vec<(String, String)>,
    /// The clock for records.
    pub now: fn() -> UtcTime,
    /// Who this is.
    pub owner: Owner,
    /// Other words for this start than for any other.
    pub nonce: String,
}
