//! Comparisons: which method, which word, what is said about the rest.

mod choices;
mod definitions;
mod extremes;
mod failures;
mod fairness;
mod files;
pub mod lab;
mod left_out;
mod pairs;
mod rankings;
mod rules;
mod suites;
mod tables;
mod tasks;
mod timings;
