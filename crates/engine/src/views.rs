//! Keeps the views of a live run current without letting that cost much: the longer it takes, the rarer it is done.

use fairtrial_journal::{Durability, JournalError, RunDir, RunState, views};
use fairtrial_spec::Spec;
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// When the views of a run are made for the first time; most short runs have ended by then.
const FIRST: Duration = Duration::from_secs(2);
/// Shortest time between two refreshes.
const LEAST: Duration = Duration::from_secs(5);
/// A refresh may take this share of the time.
const SHARE: u32 = 100;

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
            due: Instant::now() + FIRST,
        }
    }

    /// Refreshes if it is time. A failure is no reason to stop a run: the journal has everything.
    pub(crate) fn refresh_if_due(&mut self) -> Result<(), JournalError> {
        let began = Instant::now();
        if began < self.due || self.run.root().is_passing() {
            return Ok(());
        }
        let written = views::write_all(self.run, self.spec, Durability::Process);
        self.due = Instant::now() + LEAST.max(began.elapsed() * SHARE);
        written.map(drop)
    }

    /// Whether the views of an idle run say all that its journal says. They are made for the last time after the
    /// journal is closed, and this one is the last of them: one that is not newer was written before, or not at all.
    pub(crate) fn are_whole(run: &RunDir, known: &RunState) -> bool {
        let modified = |path: PathBuf| path.metadata().and_then(|data| data.modified()).ok();
        let (journal, view) = (modified(run.journal()), modified(run.temp_index()));
        known.closed().is_some() && view.is_some() && view > journal
    }

    /// Marks views as those of the closed journal, where it holds no more than they do.
    pub(crate) fn confirm(&self) -> Result<(), JournalError> {
        let path = self.run.temp_index();
        let file = File::options().append(true).open(&path);
        let touched = file.and_then(|file| file.set_modified(SystemTime::now()));
        touched.map_err(|source| JournalError::Io {
            action: "touch",
            path,
            source,
        })
    }

    /// Makes them for the last time.
    pub(crate) fn finish(&self, state: &RunState) -> Result<(), JournalError> {
        if self.run.root().is_passing() {
            return Ok(());
        }
        views::write_from(self.run, self.spec, state, Durability::Content)
    }
}
