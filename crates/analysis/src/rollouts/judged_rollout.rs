//! A rollout with what judges said of it.

use fairtrial_model::JudgeVerdict;
use fairtrial_spec::JudgeRule;

/// A rollout with what judges said.
#[derive(Debug)]
pub(super) struct JudgedRollout {
    pub(super) trial: u64,
    pub(super) task: String,
    pub(super) answer: Option<String>,
    pub(super) verdicts: Vec<JudgeVerdict>,
    pub(super) rule: JudgeRule,
}

impl JudgedRollout {
    pub(super) fn criteria(&self) -> impl Iterator<Item = &String> {
        self.verdicts.iter().take(1).flat_map(|it| it.scores.keys())
    }
}
