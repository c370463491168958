//! The words for what an analysis found. The analysis returns typed reasons; every presentation takes its sentences from
//! here, so that console, Markdown, HTML and CSV cannot say different things.

mod advice;
mod gate;
mod mark;
mod method;
mod objection;
mod sequential;
mod verdict;

pub(crate) use advice::advice;
pub(crate) use gate::{gate_reason, line_reason};
pub(crate) use mark::mark_reason;
pub(crate) use method::{method, no_relative, no_scores, not_ranked, units};
pub(crate) use objection::objection;
pub use sequential::stop_reason;
pub(crate) use sequential::{arm_reason, no_result};
pub(crate) use verdict::why;
