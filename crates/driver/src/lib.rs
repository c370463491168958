//! Runs one registered experiment inside its trial: starts the worker, asks it for iterations, observes it from
//! outside, keeps every sample as it comes, and writes the result files. It also finds experiments for specs.
//!
//! The driver is the program of a trial: the trial runner starts it like any other, so that limits, logs and kills
//! work alike. It never reads a clock for the experiment; the worker does, right around the work.

mod aggregate;
mod artifacts;
mod catalogue;
mod course;
mod drive;
mod instruments;
mod markdown;
mod outputs;
mod reported;
mod reporter;
mod request;
mod result;
mod samples;
mod tools;
mod trouble;
mod worker;

pub use aggregate::{Aggregate, Interval95, aggregate};
pub use catalogue::Experiments;
pub use drive::{Driven, drive};
pub use instruments::offered as offered_instruments;
pub use outputs::result_dir_name;
pub use reporter::report_with;
pub use request::{DriveTask, DriveTrial, TASK_SCHEMA};
pub use result::RESULT_SCHEMA;
pub use tools::{DriveError, Tools};
