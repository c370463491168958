//! Per-episode files to metrics: which rows are an episode, what an episode's values are, and what is measured over
//! the episodes, all as the spec declares it.
//!
//! A file is read once, row by row, whatever number of metrics come from it: memory does not grow with the rows. The
//! same reading gives one number per episode ([`per_episode`]), so that two runs can be compared episode by episode.
#![forbid(unsafe_code)]

mod condition;
mod error;
mod locate;
mod measure;
mod metrics;
mod open;
mod places;
mod read;
mod row;
mod tally;
mod value;

pub use error::EpisodeError;
pub use locate::locate;
pub use measure::{Answer, measure};
pub use metrics::{Measured, measure_all};
pub use open::{append_own, open_beneath, open_regular, read_own};
pub use places::{EpisodeNumber, PerEpisode, per_episode};
