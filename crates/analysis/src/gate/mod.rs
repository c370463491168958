//! The gate: may this change go in? Rules per metric, one family of tests, one answer.
//!
//! Only what is sure blocks: a metric is regressed when its whole interval lies beyond the margin that its rule allows,
//! at an error rate that all metrics share (Holm). Identical code is therefore called regressed no more often than
//! `alpha` says, however many metrics there are.

mod answer;
mod judge;
mod rules;
mod sequential;
mod sides;
mod starved;

pub use answer::{
    GATE_SCHEMA, Gate, GateLine, GateReason, GateWord, Held, InfraShare, LineReason,
    SequentialReason,
};
pub use judge::{GateOptions, gate};
pub use rules::GateRule;
pub use sequential::gate_sequential;
