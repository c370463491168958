//! What a session tells while it works. It prints nothing: whoever calls listens, and finds the words.

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
    /// Something to know.
    Notice(Notice),
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
