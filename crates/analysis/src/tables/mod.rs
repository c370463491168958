//! Results tables kept in a repository: which rows a run feeds and with what, and the comparison that is posted.

mod compared;
mod evidence;
mod post;
mod rows;

pub use evidence::{Evidence, Noise, TrialValue};
pub use post::{Mark, MarkRule, PostLine, PostOptions, Posted, PostedLine, Side, post};
pub use rows::{RowTrial, RunRow, Standing, SuiteRow, run_rows, suite_rows};
