//! A run in numbers: per task, arm and sweep point, how the trials ended and what they measured.
//!
//! The JSON form of [`RunSummary`] is what `summarize --json` prints; it is described in `docs/reference/json.md` and
//! only grows until [`SUMMARY_SCHEMA`] is raised.

mod agent_rollouts;
mod collect;
mod describe;
mod gathered;
mod iterations;
mod result;
mod run;

pub(crate) use agent_rollouts::AgentRollouts;
pub use collect::{Summarizer, SummaryOptions, summarize};
pub use result::{
    Cell, IterationNumbers, MISSING_RULE, MeanRange, MetricCell, MetricInfo, Missing, Numbers,
    RunName, RunSummary, SUMMARY_SCHEMA, Unit, WorstCase,
};
pub use run::{summarize_run, summarize_state};
