//! A metric over steps: its points as they lie in the files that a trial left, and the same points packed beside them in
//! columns, so that long files are read once.
//!
//! Whoever wants the points of a curve (`analyze`, `variance`, `report`, `export`, the live page) asks here. What a trial
//! wrote stays the truth: columns name the file that they were made from with its digest, are made again when that
//! changed, and `verify` does not read them.
#![forbid(unsafe_code)]

mod columns;
mod digest;
mod error;
mod lines;
mod origin;
mod points;
mod row;
mod series;
mod step_facts;
mod table;
mod tracked;
mod trial;

pub use columns::COLUMNS_FILE;
pub use digest::file_digest;
pub use error::{FileError, SeriesError};
pub use lines::{LinesHistory, lines_history};
pub use points::CurvePoints;
pub use series::CurveSeries;
pub use table::{HistoryTable, TableHistory};
pub use trial::{Reading, TrialCurves};
