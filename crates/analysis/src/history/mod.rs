//! A benchmark over months: every finished run as a point, and where the level of a metric changed.
//!
//! Points that were not measured alike (another machine for a timing, another command, another definition of the metric)
//! stand in lines of their own: a level that changes between them says nothing about the code.

mod lines;
mod reading;
mod result;

pub use lines::{AskedLines, arrange};
pub use reading::{NoReading, RunReading};
pub use result::{
    BenchmarkHistory, ChangeKind, HistoryLine, HistoryRun, LeftOutRun, LevelChange, MeasuredUnlike,
    SinceAnswer, SinceWord,
};
