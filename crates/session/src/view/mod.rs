//! A run that is only looked at: nothing is written, no scheduler is asked, and what was read is kept, so that the next look
//! reads only what was added.

mod answer;
mod file;
mod overview;
mod page;
mod query;
mod row;
mod run_view;
mod trial;

pub use answer::Snapshot;
pub use file::{FileEntry, FilePart};
pub use overview::{Flight, MetricFact, RunOverview, Waiting};
pub use page::RowsPage;
pub use query::{RowOrder, RowQuery};
pub use row::TrialRow;
pub use run_view::RunView;
pub use trial::{SeriesPoints, TrialDetail};
