//! What timings in the order in which they were made give away: a warm-up, a drift, neighbours that resemble each other.

mod time_order;

pub use time_order::{Autocorrelation, Drift, TimeOrder, time_order};
