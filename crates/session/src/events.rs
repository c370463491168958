//! What a session tells while it works. It prints nothing: whoever calls listens, and finds the words.

use crate::bisect::commit::BisectCommit;
use crate::notice::Notice;
use crate::run::result::RunResult;
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_engine::{RunEvent, RunRequest};

/// Something that happened.
pub enum Event<'a> {
    /// A run is handed to the engine.
    Starting(&'a RunRequest),
    /// Something happened in it.
    Run(RunEvent),
    /// The stopping rule of a run has looked.
    Looked(&'a Trajectory),
    /// The engine has left it: no more events of this run come.
    Left,
    /// What the run came to. Its files, its confirmation and its reporters follow.
    Result(&'a RunResult),
    /// A bisect goes on.
    Bisect(BisectEvent<'a>),
    /// Something to know.
    Notice(Notice),
}

/// A step of a bisect.
pub enum BisectEvent<'a> {
    /// It goes on where it was left.
    GoesOn {
        /// Runs of the command that were measured before.
        trials: usize,
        /// Commits that were skipped before.
        skipped: usize,
    },
    /// A commit is checked out and built.
    Building(&'a BisectCommit),
    /// A commit does not build, or its command fails.
    Skipped {
        /// The commit.
        commit: &'a BisectCommit,
        /// Why.
        why: &'a str,
    },
    /// Commits are measured in turns.
    Measuring {
        /// From the earliest to the latest.
        commits: &'a [&'a BisectCommit],
        /// Blocks that all of them took part in before.
        blocks: usize,
    },
}

/// Hears what happens. Several threads may tell at once.
pub trait Listener: Send + Sync {
    /// Hears one event.
    fn hear(&self, event: Event<'_>);
}

impl<F: Fn(Event<'_>) + Send + Sync> Listener for F {
    fn hear(&self, event: Event<'_>) {
        self(event);
    }
}
