//! A benchmark over months: every finished run as a point, and where the level of a metric changed.
//!
//! Points that were not measured alike (another machine for a timing, another command, another definition of the metric)
//! stand in lines of their own: a level that changes between them says nothing about the code.

mod lines;
mod reading;
mod result;

pub use lines::{Asked, arrange};
pub use reading::{RunReading, Unread};
pub use result::{
    BenchmarkHistory, ChangeKind, Condition, HistoryLine, HistoryRun, LeftOutRun, LevelChange,
    SinceAnswer, SinceWord,
};
