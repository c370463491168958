//! The summary of a run on disk.

use super::{RunName, RunSummary, Summarizer, SummaryOptions};
use crate::error::AnalysisError;
use crate::observation::Observation;
use crate::read;
use crate::rollouts::RolloutGatherer;
use crate::validity::Floor;
use fairtrial_journal::{RunDir, RunState};
use fairtrial_spec::Spec;
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
    read::observations_from(run, state, |observation| {
        summarizer.add(observation);
        notes.add(observation);
        if agents.contains(&*observation.trial.task) {
            rollouts.add(observation);
        }
    })?;
    let mut summary = summarizer.finish();
    let arms: Vec<String> = spec.arms.iter().map(|arm| arm.name.clone()).collect();
    let level = Level::two_sided(summary.alpha);
    summary.rollouts = Floor::of(spec).and_then(|floor| rollouts.finish(&arms, level, floor.share));
    summary.run = Some(RunName {
        name: run.name().to_owned(),
        stamp: run.stamp(),
    });
    summary.planned = state.opened.as_ref().map(|opened| opened.trials);
    summary.problems = state.problem_sentences().collect();
    summary.problems.extend(notes.words());
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
