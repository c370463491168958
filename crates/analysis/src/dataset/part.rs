//! A part of the trials: those of one task, or of one arm.

use super::{Dataset, Names, Trial};
use crate::error::AnalysisError;
use fairtrial_journal::observation::Behind;

impl Dataset {
    /// The trials of one task alone.
    pub fn of_task(&self, task: &str) -> Result<Self, AnalysisError> {
        let number = self.tasks.numbers.get(task).copied();
        let number = number.ok_or_else(|| {
            let known: Vec<&str> = self.tasks.iter().map(String::as_str).collect();
            AnalysisError::Question(format!(
                "no trial is of the task `{task}`; there are {}",
                known.join(", ")
            ))
        })?;
        Ok(self.part(|trial| trial.task == number))
    }

    /// The trials of one arm alone, which is then the only one.
    pub fn of_arm(&self, arm: &str) -> Result<Self, AnalysisError> {
        let number = self.arms.numbers.get(arm).copied();
        let number = number.ok_or_else(|| {
            let there = match self.arm_names() {
                arms if arms.is_empty() => "it has no arms".to_owned(),
                arms => format!("its arms are {}", arms.join(", ")),
            };
            AnalysisError::Question(format!("{} has no arm `{arm}`; {there}", self.label))
        })?;
        let mut part = self.part(|trial| trial.arm == number);
        part.arms = Names::new();
        let only = part.arms.number(arm, || Some(arm.to_owned()));
        for trial in &mut part.trials {
            trial.arm = only;
        }
        let said = std::mem::take(&mut part.said).into_iter();
        part.said = said
            .filter(|((_, of, _), _)| *of == number)
            .map(|((key, _, point), words)| ((key, only, point), words))
            .collect();
        part.control = None;
        Ok(part)
    }

    pub(super) fn part(&self, wanted: impl Fn(&Trial) -> bool) -> Self {
        let mut part = self.clone();
        let mut places = vec![None; self.trials.len()];
        part.trials.clear();
        for (place, trial) in self.trials.iter().enumerate() {
            if wanted(trial) {
                places[place] = Some(part.trials.len() as u32);
                part.trials.push(*trial);
            }
        }
        for column in &mut part.columns {
            let kept = |(place, value): &(u32, f64)| Some((places[*place as usize]?, *value));
            column.values = column.values.iter().filter_map(kept).collect();
            let kept = |(place, behind): &(u32, Behind)| Some((places[*place as usize]?, *behind));
            column.series = column.series.iter().filter_map(kept).collect();
        }
        part
    }
}
