//! Rollouts of agent tasks in numbers: tasks are the unit, rollouts are nested in them. Per arm the score over what was
//! scored and over everything, pass@k and pass^k, what a solved task costs; between arms which tasks flip; and which
//! tasks are flaky.

mod describe;
mod gather;
mod gathered;
mod human_scores;
mod judged_rollout;
mod judges;
mod mean_score;
mod result;
mod tasks;

pub(crate) use gather::RolloutGatherer;
pub use human_scores::HumanScores;
pub(crate) use judges::JudgeGatherer;
pub use judges::{
    HumanAgreement, JudgeAccuracy, JudgeAgreement, JudgeSummary, JudgeTotals, KappaFound,
    RubricAgreement,
};
pub use mean_score::MeanScore;
pub use result::{ArmRollouts, FlakyTask, Flips, IdenticalTask, PassAt, RolloutSummary};
