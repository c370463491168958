//! The parameters of the experiment.

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Knobs {
    pub(super) num_agents: usize,
    pub(super) memory_entries: usize,
    pub(super) batch_size: usize,
    pub(super) search_radius: f64,
    pub(super) memory_limit: usize,
    pub(super) ttl: u64,
    pub(super) cleanup_interval: usize,
    pub(super) address: String,
}
