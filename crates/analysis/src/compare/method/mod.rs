//! From a sample to an estimate with an interval, and the level at which it is held.

pub(crate) mod answer;
pub(crate) mod choose;
pub(crate) mod exact;
pub(crate) mod family;
pub(crate) mod interval;
pub(crate) mod kind;
pub(crate) mod plan;
pub(crate) mod rates;
pub(crate) mod relative;
