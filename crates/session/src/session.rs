//! A caller with somebody who listens: what every call starts from.

use crate::caller::Caller;
use crate::events::{Event, Listener};
use crate::notice::Notice;
use std::sync::Arc;

/// What every call starts from. Clones share the listener.
#[derive(Clone)]
pub struct Session {
    caller: Arc<Caller>,
    listener: Arc<dyn Listener>,
}

impl Session {
    /// A session of this caller; `listener` hears what happens.
    pub fn new(caller: Caller, listener: impl Listener + 'static) -> Self {
        Self {
            caller: Arc::new(caller),
            listener: Arc::new(listener),
        }
    }

    /// The calling process.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    pub(crate) fn hear(&self, event: Event<'_>) {
        self.listener.hear(event);
    }

    pub(crate) fn tell(&self, notice: Notice) {
        self.hear(Event::Notice(notice));
    }

    pub(crate) fn warn(&self, text: impl Into<String>) {
        self.tell(Notice::Warning(text.into()));
    }
}
