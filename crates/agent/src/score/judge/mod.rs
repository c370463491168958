//! A model as judge, behind an endpoint of one of the usual kinds, or several. It is shown the task and the diff. What it
//! does not answer is the machine's trouble, never a score of 0.

mod api;
mod ask;
mod panel;

pub use ask::{JudgeScore, JudgeSpent, LmEvaluation};
pub use panel::JudgeAnswer;
pub(super) use panel::{JudgePanel, ask_all};
