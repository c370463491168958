//! Records and declarations to structured answers: summaries, comparisons, verdicts.
//!
//! Nothing here prints, and the only files read are those of a run, through `fairtrial-journal` and `fairtrial-episode`.
//! Every number that comes out leads back to the trials it came from, and says what was left out and why. The
//! mathematics is in `fairtrial-stats`; this crate decides which of it fits the data.
#![forbid(unsafe_code)]

pub mod bench;
pub mod bisect;
pub mod compare;
pub mod confirm;
pub mod curves;
pub mod dataset;
mod error;
mod failure_kinds;
mod finished;
pub mod gate;
pub mod history;
pub mod order;
pub mod power;
mod ran_code;
mod read;
pub mod registration;
pub mod report;
pub mod rollouts;
pub mod sensitivity;
pub mod sequential;
pub mod summary;
pub mod tables;
mod trial_set;
pub mod validity;
pub mod variance;
pub mod watch;

pub use compare::{CompareOptions, Comparison, Inputs, compare};
pub use dataset::Dataset;
pub use error::AnalysisError;
pub use failure_kinds::{FailureKind, failure_kinds};
pub use fairtrial_journal::observation::Observation;
pub use finished::Unfinished;
pub use ran_code::{CodeGroup, CodeMixture};
pub use summary::{RunSummary, SummaryOptions, summarize, summarize_run, summarize_state};
pub use trial_set::TrialSet;
