//! The trials that pass a filter: `--only task=a`.

use super::{Dataset, Trial};
use crate::error::AnalysisError;
use fairtrial_model::{Params, TrialKey};
use fairtrial_spec::Filter;

impl Dataset {
    /// The trials that pass, which is said; refused where none does.
    pub fn only(&self, filter: &Filter) -> Result<Self, AnalysisError> {
        let written = filter.written();
        let mut part = self.part(|trial| filter.matches(&self.key(trial), &self.params(trial)));
        if part.is_empty() {
            return Err(AnalysisError::Question(format!(
                "no trial of {} fits `{written}`",
                self.label
            )));
        }
        if part.len() < self.len() {
            part.problems.push(format!(
                "only `{written}` is looked at: {} of {} trials of {}",
                part.len(),
                self.len(),
                self.label
            ));
        }
        Ok(part)
    }

    fn key(&self, trial: &Trial) -> TrialKey {
        TrialKey {
            index: trial.index,
            task: self.tasks.get(trial.task).clone(),
            arm: self.arms.get(trial.arm).clone(),
            point: self.point_values[trial.point as usize].clone(),
            seed: trial.seed,
            rollout: trial.rollout,
        }
    }

    /// The parameters of a trial: its task's, then its arm's, then its point's.
    fn params(&self, trial: &Trial) -> Params {
        let of = |all: &[(String, Params)], name: Option<&String>| {
            let found = all.iter().find(|(known, _)| Some(known) == name);
            found.map_or_else(Params::new, |(_, params)| params.clone())
        };
        let mut params = of(&self.task_params, Some(self.tasks.get(trial.task)));
        params.merge(&of(&self.arm_params, self.arms.get(trial.arm).as_ref()));
        params.merge(&self.point_values[trial.point as usize]);
        params
    }
}
