//! The summary of a run on disk.

use super::collect::{Summarizer, SummaryOptions};
use super::iterations;
use super::result::{RunName, RunSummary};
use crate::error::AnalysisError;
use crate::observation::Observation;
use crate::ran_code::CodeByTask;
use crate::read;
use crate::rollouts::RolloutGatherer;
use crate::validity::Floor;
use fairtrial_journal::{Entry, Event, ReadError, RunDir, RunState, read_journal};
use fairtrial_model::{Outcome, Record};
use fairtrial_spec::{Spec, Work};
use fairtrial_stats::Level;
use std::collections::HashSet;

/// Reads a run's effective records and summarises them. A run that is still going is summarised as far as it is.
pub fn summarize_run(run: &RunDir, spec: &Spec) -> Result<RunSummary, AnalysisError> {
    let state = RunState::read(&run.journal())?;
    summarize_state(run, &state, spec)
}

/// The same for who has folded the journal already.
pub fn summarize_state(
    run: &RunDir,
    state: &RunState,
    spec: &Spec,
) -> Result<RunSummary, AnalysisError> {
    let mut summarizer = Summarizer::new(SummaryOptions::from(spec))?;
    let agents: HashSet<&str> = spec
        .tasks
        .iter()
        .filter(|task| task.work.is_answered())
        .map(|task| task.id.as_str())
        .collect();
    let mut rollouts = RolloutGatherer::default();
    let mut notes = Notes::default();
    let mut code = CodeByTask::default();
    let experiments: HashSet<&str> = spec
        .tasks
        .iter()
        .filter(|task| matches!(task.work, Work::Experiment { .. }))
        .map(|task| task.id.as_str())
        .collect();
    read::observations_from(run, state, |observation| {
        summarizer.add(observation);
        if observation.outcome == Outcome::Ok && experiments.contains(&*observation.trial.task) {
            summarizer.add_iterations(observation, iterations::of_experiment(run, observation));
        }
        notes.add(observation);
        code.add(observation);
        if agents.contains(&*observation.trial.task) {
            rollouts.add(observation);
        }
    })?;
    if !agents.is_empty() {
        superseded(run, state, |record| {
            if agents.contains(record.trial.task.as_str()) {
                rollouts.add_superseded(record);
            }
        })?;
    }
    let mut summary = summarizer.finish();
    let arms: Vec<String> = spec.arms.iter().map(|arm| arm.name.clone()).collect();
    let level = Level::two_sided(summary.alpha);
    summary.rollouts = Floor::of(spec).and_then(|floor| rollouts.finish(&arms, level, floor.share));
    summary.run = Some(RunName {
        name: run.name().to_owned(),
        stamp: run.stamp(),
    });
    summary.planned = state.opened.as_ref().map(|opened| opened.trials);
    summary.imported = state.opened.as_ref().is_some_and(|opened| opened.imported);
    summary.problems = state.problem_sentences().collect();
    summary.problems.extend(notes.words());
    summary.problems.extend(code.words(run, state.accepts_code));
    Ok(summary)
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

/// What records note beside their numbers (lines that could not be read, output that was left out): counted, with the
/// first one as it is.
#[derive(Default)]
struct Notes {
    trials: u64,
    first: Option<(u64, String)>,
}

impl Notes {
    fn add(&mut self, observation: &Observation<'_>) {
        if let Some(note) = observation.notes.first() {
            self.trials += 1;
            self.first
                .get_or_insert_with(|| (observation.trial.index, note.clone()));
        }
    }

    fn words(self) -> Option<String> {
        let (index, note) = self.first?;
        Some(match self.trials {
            1 => format!("trial {index} has a note: {note}"),
            trials => format!("{trials} trials have notes in their records; trial {index}: {note}"),
        })
    }
}
