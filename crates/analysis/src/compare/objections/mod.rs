//! What speaks against a verdict: each objection is found in its own file, and [`collect`] asks all of them.
//!
//! A new one is a file here, a kind in [`objection`], a line in [`collect`], and its sentence in the report.

pub(crate) mod busy_machine;
pub(crate) mod collect;
pub(crate) mod constant_difference;
pub(crate) mod curve_parts;
pub(crate) mod declared;
pub(crate) mod definition;
pub(crate) mod deterministic;
pub(crate) mod excluded;
pub(crate) mod fairness;
pub(crate) mod few_resamples;
pub(crate) mod final_values;
pub(crate) mod fragile;
pub(crate) mod implementation;
pub(crate) mod labels;
pub(crate) mod large_numbers;
pub(crate) mod machine;
pub(crate) mod missing_data;
pub(crate) mod missing_pairs;
pub(crate) mod mixed_code;
pub(crate) mod no_value;
pub(crate) mod not_reached;
pub(crate) mod objection;
pub(crate) mod one_process;
pub(crate) mod resampled_signs;
pub(crate) mod same_records;
pub(crate) mod shape;
pub(crate) mod stopped_early;
pub(crate) mod tasks_as_units;
pub(crate) mod tasks_left_out;
pub(crate) mod time_order;
pub(crate) mod too_few_units;
pub(crate) mod validity_floor;
