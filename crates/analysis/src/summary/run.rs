//! The summary of a run on disk.

use super::{RunName, RunSummary, Summarizer, SummaryOptions};
use crate::{AnalysisError, read};
use fairtrial_journal::RunDir;
use fairtrial_spec::Spec;

/// Reads a run's effective records and summarises them. A run that is still going is summarised as far as it is.
pub fn summarize_run(run: &RunDir, spec: &Spec) -> Result<RunSummary, AnalysisError> {
    let mut summarizer = Summarizer::new(SummaryOptions::from(spec))?;
    let state = read::observations(run, |observation| summarizer.add(observation))?;
    let mut summary = summarizer.finish();
    summary.run = Some(RunName {
        name: run.name().to_owned(),
        stamp: run.stamp(),
    });
    summary.planned = state.opened.as_ref().map(|opened| opened.trials);
    summary.problems = state.problems.iter().map(ToString::to_string).collect();
    Ok(summary)
}
