//! The summary of a run on disk.

use super::{RunName, RunSummary, Summarizer, SummaryOptions};
use crate::AnalysisError;
use crate::observation::Observation;
use fairtrial_journal::{RunDir, RunState, effective_records};
use fairtrial_spec::Spec;

/// Reads a run's effective records and summarises them. A run that is still going is summarised as far as it is.
pub fn summarize_run(run: &RunDir, spec: &Spec) -> Result<RunSummary, AnalysisError> {
    let journal = run.journal();
    let state = RunState::read(&journal)?;
    let mut summarizer = Summarizer::new(SummaryOptions::from(spec))?;
    effective_records(&journal, &state, |record| {
        summarizer.add(&Observation::from(&record));
        Ok::<(), AnalysisError>(())
    })?;
    let mut summary = summarizer.finish();
    summary.run = Some(RunName {
        name: run.name().to_owned(),
        stamp: run.stamp(),
    });
    summary.planned = state.opened.as_ref().map(|opened| opened.trials);
    summary.problems = state.problems.iter().map(ToString::to_string).collect();
    Ok(summary)
}
