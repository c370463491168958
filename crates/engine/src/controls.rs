//! The handle by which signals and other terminals stop a run.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// What was asked for so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Asked {
    /// Nothing.
    #[default]
    Nothing,
    /// Start nothing more, let what runs finish.
    Drain,
    /// End what runs.
    Cancel,
    /// End it by force.
    Force,
}

/// Stops a run. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct Controls(Arc<(Mutex<Asked>, Condvar)>);

impl Controls {
    /// As by Ctrl-C: once, what runs may finish; again, it is ended; a third time, by force.
    pub fn interrupt(&self) {
        self.raise(|asked| match asked {
            Asked::Nothing => Asked::Drain,
            Asked::Drain => Asked::Cancel,
            Asked::Cancel | Asked::Force => Asked::Force,
        });
    }

    /// Ends what runs and starts nothing more.
    pub fn cancel(&self) {
        self.raise(|asked| asked.max(Asked::Cancel));
    }

    /// As by Ctrl-C where nothing is lost with what runs: it is ended at once; asked again, by force.
    pub fn end(&self) {
        self.raise(|asked| match asked {
            Asked::Nothing | Asked::Drain => Asked::Cancel,
            Asked::Cancel | Asked::Force => Asked::Force,
        });
    }

    /// Whether an end was asked for.
    pub fn is_asked(&self) -> bool {
        self.asked() != Asked::Nothing
    }

    pub(crate) fn asked(&self) -> Asked {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until more than `known` is asked for, or the time is up.
    pub(crate) fn wait(&self, known: Asked, time: std::time::Duration) -> Asked {
        let asked = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .0
            .1
            .wait_timeout_while(asked, time, |asked| *asked <= known);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn raise(&self, next: impl Fn(Asked) -> Asked) {
        let mut asked = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        *asked = next(*asked);
        self.0.1.notify_all();
    }
}
