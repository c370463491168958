//! Keeps new records as they come: scoring may take hours and judges cost money, so nothing waits for the last one.

use crate::error::EngineError;
use fairtrial_journal::{Event, JournalError, JournalWriter, RunDir, RunState, views};
use fairtrial_model::{Outcome, Record, UtcTime};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

/// A journal that is open for new scores. One that is not closed in the end says so: see [`RunState::is_half_scored`].
pub(super) struct Keeper<'a> {
    run: &'a RunDir,
    writer: JournalWriter,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// What each record was and is.
    outcomes: Vec<(Outcome, Outcome)>,
    /// Why a rollout's own copy could not be written.
    failed: Option<JournalError>,
}

impl<'a> Keeper<'a> {
    pub(super) fn begin(run: &'a RunDir, now: UtcTime) -> Result<Self, JournalError> {
        let writer = JournalWriter::open(&run.journal(), Box::new(drop))?;
        writer.append(&Event::Session {
            pid: std::process::id(),
            host: fairtrial_journal::provenance::host_name(),
            at: now,
            resumed: true,
            attends: false,
            scores: true,
        });
        Ok(Self {
            run,
            writer,
            kept: Mutex::default(),
        })
    }

    /// Keeps a record that takes the place of one with this outcome: in the journal, then as the rollout's own copy.
    pub(super) fn keep(&self, before: Outcome, record: Record) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.outcomes.push((before, record.outcome));
        let dir = (!record.dir.is_empty()).then(|| self.run.root().path().join(&record.dir));
        let event = Event::Finished(Box::new(record));
        self.writer.append(&event);
        self.writer.hurry();
        if let (Event::Finished(record), Some(dir)) = (event, dir)
            && let Err(error) = views::replace_record(&dir, &record)
        {
            kept.failed.get_or_insert(error);
        }
    }

    /// Closes the run as it was closed before, unless new scores stand beside old ones of rollouts that were missed.
    pub(super) fn close(
        self,
        before: &RunState,
        missed: usize,
        now: UtcTime,
    ) -> Result<(), EngineError> {
        let kept = self.kept.into_inner();
        let Kept { outcomes, failed } = kept.unwrap_or_else(PoisonError::into_inner);
        let mut text = format!("{} rollouts were scored again", outcomes.len());
        if missed > 0 {
            // Writing to a text cannot fail.
            let _ = write!(text, ", {missed} could not be and have their old scores");
        }
        self.writer.append(&Event::Note { at: now, text });
        let mixed = missed > 0 && (before.is_half_scored() || !outcomes.is_empty());
        if !mixed {
            // Also of a run that was cut off before: it is scored to its end, and can be resumed.
            self.writer.append(&Event::Scored { at: now });
        }
        if let Some(status) = before.closed_before_scoring().filter(|_| !mixed) {
            let mut counts = before.counts;
            for (before, after) in outcomes {
                counts.remove(before);
                counts.add(after);
            }
            self.writer.append(&Event::Closed {
                at: now,
                status,
                counts,
            });
        }
        self.writer.close()?;
        failed.map_or(Ok(()), |error| Err(error.into()))
    }
}
