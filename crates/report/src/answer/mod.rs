//! The answer in a few lines: what a person reads who reads nothing else.
//!
//! One line per metric and candidate, what speaks against it, what failed and why, and what to type next. Runs and
//! comparisons end in the same lines; the tables behind them are made elsewhere, for those who ask.

mod comparison;
mod lines;
mod run;

pub use comparison::ComparisonAnswer;
pub(crate) use comparison::brief_lines;
pub use run::RunAnswer;
