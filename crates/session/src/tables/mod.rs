//! Results tables (CSV files kept in a repository): a run's numbers into a table, and a table against a run.

mod behind;
mod blame;
mod check;
mod compare;
pub(crate) mod error;
mod file;
mod gather;
mod lock;
mod measure;
mod suite;
mod update;

pub use blame::{GitLine, RowHistory};
pub use check::TableFindings;
pub use compare::{TableComparison, TableQuestion};
pub use error::{Lacking, TableError};
pub use file::TableFile;
pub use gather::{Additions, LeftRow, Parts, TableNote, UpdateOptions, WhyLeft};
pub use measure::MeasuredFile;
pub use suite::SuiteChoice;
pub use update::{TableUpdate, UpdateRequest, UpdateSource, WriteMode};
