//! Results tables kept in a repository: which rows a run feeds and with what, and the comparison that is posted.

mod behind;
mod compared;
mod draft;
mod episodes;
mod evidence;
mod named;
mod post;
mod post_line;
mod post_table;
mod rows;
mod shown;
mod sides;
mod unit;

pub use behind::{Behind, source_of};
pub use draft::{Draft, Proposed, Question};
pub use evidence::{Evidence, Noise, TrialValue};
pub use post::{Mark, MarkReason, Posted, PostedLine, post};
pub use post_line::{MarkRule, PostLine, PostOptions, Side};
pub use post_table::PostTable;
pub use rows::{RowTrial, RunRow, Standing, SuiteRow, run_rows, suite_rows};
