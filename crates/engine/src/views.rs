//! Keeps the views of a live run current without letting that cost much: the longer it takes, the rarer it is done.

use fairtrial_journal::{Durability, JournalError, RunDir, views};
use fairtrial_spec::Spec;
use std::time::{Duration, Instant};

/// Shortest time between two refreshes.
const LEAST: Duration = Duration::from_secs(5);
/// A refresh may take this share of the time.
const SHARE: u32 = 50;

/// Refreshes the views of one run.
pub(crate) struct Views<'a> {
    run: &'a RunDir,
    spec: &'a Spec,
    due: Instant,
}

impl<'a> Views<'a> {
    pub(crate) fn new(run: &'a RunDir, spec: &'a Spec) -> Self {
        Self {
            run,
            spec,
            due: Instant::now(),
        }
    }

    /// Refreshes if it is time. A failure is no reason to stop a run: the journal has everything.
    pub(crate) fn refresh_if_due(&mut self) -> Result<(), JournalError> {
        let began = Instant::now();
        if began < self.due {
            return Ok(());
        }
        let written = views::write_all(self.run, self.spec, Durability::Process);
        self.due = Instant::now() + LEAST.max(began.elapsed() * SHARE);
        written.map(drop)
    }

    /// Makes them for the last time.
    pub(crate) fn finish(&self) -> Result<(), JournalError> {
        views::write_all(self.run, self.spec, Durability::Content).map(drop)
    }
}
