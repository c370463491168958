//! The table of a run, and its copy on disk.

use crate::data_root::absolute;
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_analysis::rollouts::HumanScores;
use fairtrial_analysis::{RunSummary, summarize_run};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{
    Durability, JournalError, RecordFile, RunDir, RunState, is_live, resolved_spec, views,
    write_atomic_bytes,
};
use fairtrial_model::Record;
use fairtrial_report::markdown::SummaryHeader;
use fairtrial_spec::Spec;
use rayon::prelude::*;
use std::fs;
use std::path::Path;

impl Session {
    /// How the trials of a run ended, and what they measured, per task and arm.
    pub fn summarize(&self, run: &RunDir) -> Result<RunSummary, SessionError> {
        let spec = resolved_spec(run)?;
        let summary = summarize_run(run, &spec)?;
        // The controller keeps the views of a live run; those of one that was cut off are made again here. Nobody opens
        // those of results that are read where they lie.
        if !self.in_place().holds(run) && !run.is_archived() && !is_live(run)?.is_live() {
            let written = write_summary(run, &spec, &summary, &self.caller().redactor());
            // Where they cannot be kept (an archive, a full disk) the answer is still the answer.
            if let Err(error) = written {
                self.warn(error.to_string());
            }
        }
        Ok(summary)
    }

    /// Keeps scores that people gave to the rollouts of a run beside it, for this summary and every later one.
    pub fn keep_human_scores(&self, run: &RunDir, file: &Path) -> Result<(), SessionError> {
        if self.in_place().holds(run) {
            let message = "human scores are kept beside a run: `import` these results first";
            return Err(SessionError::Input(message.to_owned()));
        }
        run.open_to_changes()?;
        let path = absolute(file);
        let wrong = |why: String| SessionError::Input(format!("{}: {why}", file.display()));
        let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
        HumanScores::read(&text).map_err(wrong)?;
        Ok(write_atomic_bytes(
            &run.human_scores(),
            Durability::Process,
            text.as_bytes(),
        )?)
    }

    /// The record of every trial of a run that counts, in the order of the plan.
    pub fn records(&self, run: &RunDir) -> Result<Vec<Record>, SessionError> {
        let state = RunState::read(&run.journal())?;
        let mut records = all_records(run, &state)?;
        records.sort_by_key(|record: &Record| record.trial.index);
        Ok(records)
    }
}

/// Every effective record, in index order: all in memory, and read by several threads.
pub(crate) fn all_records(run: &RunDir, state: &RunState) -> Result<Vec<Record>, JournalError> {
    const FOR_A_THREAD: usize = 1024;
    let trials: Vec<_> = state.trials().map(|(_, trial)| trial).collect();
    let parts = trials.par_chunks(FOR_A_THREAD).map(|part| {
        let mut file = RecordFile::open(&run.journal())?;
        let records = part
            .iter()
            .filter_map(|trial| file.record(trial).transpose());
        records.collect::<Result<Vec<_>, _>>()
    });
    let parts = parts.collect::<Result<Vec<_>, JournalError>>()?;
    Ok(parts.into_iter().flatten().collect())
}

/// Writes `summary.md`, and the other views where they are missing.
pub(crate) fn write_summary(
    run: &RunDir,
    spec: &Spec,
    summary: &RunSummary,
    redactor: &Redactor,
) -> Result<(), SessionError> {
    if !run.manifest().exists() {
        views::write_all(run, spec, Durability::Process)?;
    }
    let header = SummaryHeader {
        facts: vec![("spec".to_owned(), spec.source.clone())],
        notes: spec.notes.clone(),
    };
    let text = fairtrial_report::markdown::summary(summary, &header);
    let text = redactor.redact(&text).into_owned();
    Ok(write_atomic_bytes(
        &run.summary(),
        Durability::Process,
        text.as_bytes(),
    )?)
}
