//! The rollouts of a run's agent tasks, gathered while its trials are read.

use super::result::RunSummary;
use crate::error::AnalysisError;
use crate::rollouts::{HumanScores, JudgeGatherer, RolloutGatherer};
use crate::validity::Floor;
use fairtrial_journal::observation::Observation;
use fairtrial_journal::{Entry, Event, ReadError, RunDir, RunState, read_if_there, read_journal};
use fairtrial_model::Record;
use fairtrial_spec::{JudgeRule, Spec, Work};
use fairtrial_stats::Level;
use std::collections::{HashMap, HashSet};

/// Gathers the rollouts of agent tasks, and of nothing else.
pub(crate) struct AgentRollouts<'a> {
    spec: &'a Spec,
    /// How the judges of each task are combined.
    tasks: HashMap<&'a str, JudgeRule>,
    gathered: RolloutGatherer,
    judges: JudgeGatherer,
}

impl<'a> AgentRollouts<'a> {
    /// Those of a spec's agent tasks.
    pub(crate) fn of(spec: &'a Spec) -> Self {
        let tasks = spec.tasks.iter().filter(|task| task.work.is_answered());
        Self {
            spec,
            tasks: tasks
                .map(|task| (task.id.as_str(), rule(&task.work)))
                .collect(),
            gathered: RolloutGatherer::default(),
            judges: JudgeGatherer::default(),
        }
    }

    /// Takes in a trial.
    pub(crate) fn add(&mut self, seen: &Observation<'_>) {
        if let Some(rule) = self.tasks.get(&*seen.trial.task) {
            self.gathered.add(seen);
            self.judges.add(seen, *rule);
        }
    }

    /// Takes in what others took the place of, and puts the numbers into the summary.
    pub(crate) fn finish(
        mut self,
        run: &RunDir,
        state: &RunState,
        summary: &mut RunSummary,
    ) -> Result<(), AnalysisError> {
        if !self.tasks.is_empty() {
            superseded(run, state, |record| {
                if self.tasks.contains_key(record.trial.task.as_str()) {
                    self.gathered.add_superseded(record);
                }
            })?;
        }
        let arms = self.spec.arms.iter().map(|arm| arm.name.clone());
        let arms: Vec<String> = arms.collect();
        let level = Level::two_sided(summary.alpha);
        let floor = Floor::of(self.spec);
        summary.rollouts = floor.and_then(|floor| self.gathered.finish(&arms, level, floor.share));
        if let Some(rollouts) = &mut summary.rollouts {
            rollouts.judges = self.judges.finish(human_scores(run)?.as_ref(), level);
        }
        Ok(())
    }
}

/// How the judges of a task are combined.
fn rule(work: &Work) -> JudgeRule {
    match work {
        Work::Prepared { options, .. } => options.judge_rule,
        _ => JudgeRule::Mean,
    }
}

/// What people said about the rollouts of a run, where that was kept beside it.
fn human_scores(run: &RunDir) -> Result<Option<HumanScores>, AnalysisError> {
    let path = run.human_scores();
    let wrong = |message| AnalysisError::Content {
        label: path.display().to_string(),
        message,
    };
    let Some(text) = read_if_there(&path)? else {
        return Ok(None);
    };
    HumanScores::read(&String::from_utf8_lossy(&text))
        .map(Some)
        .map_err(wrong)
}

/// Hands every attempt that ran and that another one took the place of to `each`, once.
fn superseded(
    run: &RunDir,
    state: &RunState,
    mut each: impl FnMut(&Record),
) -> Result<(), AnalysisError> {
    if state.trials().all(|(_, trial)| trial.finished < 2) {
        return Ok(());
    }
    let mut seen = HashSet::new();
    for entry in read_journal(&run.journal())? {
        let record = match entry {
            Ok(Entry {
                event: Event::Finished(record),
                ..
            }) => record,
            Err(ReadError::Io(error)) => return Err(error.into()),
            // Damaged lines are told of where the journal is folded.
            Ok(_) | Err(ReadError::Corrupt(_)) => continue,
        };
        let (index, attempt) = (record.trial.index, record.attempt);
        let is_new = attempt < state.trial(index).finished && seen.insert((index, attempt));
        if is_new && record.started_at.is_some() {
            each(&record);
        }
    }
    Ok(())
}
