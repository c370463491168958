//! The summary of a run on disk.

use super::agent_rollouts::AgentRollouts;
use super::collect::{Summarizer, SummaryOptions};
use super::iterations;
use super::result::{RunName, RunSummary};
use crate::error::AnalysisError;
use crate::ran_code::CodeByTask;
use crate::read;
use fairtrial_journal::observation::Observation;
use fairtrial_journal::{RunDir, RunState};
use fairtrial_model::Outcome;
use fairtrial_spec::{Spec, Work};
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
    let mut rollouts = AgentRollouts::of(spec);
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
        rollouts.add(observation);
        Ok(())
    })?;
    let mut summary = summarizer.finish();
    rollouts.finish(run, state, &mut summary)?;
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
