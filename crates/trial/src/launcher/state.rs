//! What a launcher keeps between programs.

use super::counters::Counters;
use super::exits::Exits;
use super::folder::Folder;
use super::line::Line;
use super::reap;
use super::spawn::ChildStack;
use crate::inner::Inner;
use crate::limits::Backend;
use fairtrial_model::Quiet;

/// What a launcher keeps between programs.
pub(crate) struct Launcher {
    pub(super) line: Line,
    pub(super) exits: Exits,
    pub(super) stack: ChildStack,
    pub(super) backend: Option<Backend>,
    /// Where the last trial's directory was made.
    pub(super) folder: Option<Folder>,
    pub(super) null: std::fs::File,
    pub(super) read_buffer: Vec<u8>,
    pub(super) started: u64,
    /// The peak of this process's own memory, as far as it was looked at.
    pub(super) peak: u64,
    /// What it has done to be less disturbed.
    pub(super) quiet: Quiet,
    /// What the processor counts for it.
    pub(super) counters: Counters,
    /// What this binary can be without being started anew.
    pub(super) inner: &'static [Inner],
}

/// The runner's end of the socket is closed: there is nobody to report to.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunnerGone;

impl Launcher {
    /// The peak of this process's own memory, under which that of a child cannot be seen. It only grows, so a child's that
    /// is not above the last look tells all.
    pub(super) fn own_peak(&mut self, of_child: u64) -> u64 {
        if of_child > self.peak {
            self.peak = reap::own_peak();
        }
        self.peak
    }

    /// The machine's offer for limits, looked at once and only where a trial has limits.
    pub(super) fn backend(&mut self) -> &Backend {
        self.backend.get_or_insert_with(Backend::probe)
    }
}
