//! A caller with somebody who listens: what every call starts from.

use crate::caller::Caller;
use crate::events::{Event, Listener};
use crate::foreign::in_place::InPlace;
use crate::notice::Notice;
use fairtrial_interop::Mapping;
use std::sync::Arc;

/// What every call starts from. Clones share the listener.
#[derive(Clone)]
pub struct Session {
    caller: Arc<Caller>,
    listener: Arc<dyn Listener>,
    in_place: Arc<InPlace>,
}

impl Session {
    /// A session of this caller; `listener` hears what happens.
    pub fn new(caller: Caller, listener: impl Listener + 'static) -> Self {
        Self {
            caller: Arc::new(caller),
            listener: Arc::new(listener),
            in_place: Arc::default(),
        }
    }

    /// The same for results of other tools that are read as this says.
    #[must_use]
    pub fn mapped(self, mapping: Mapping) -> Self {
        Self {
            in_place: Arc::new(InPlace::new(mapping)),
            ..self
        }
    }

    /// The same listener, for a caller elsewhere.
    pub(crate) fn called_from(&self, caller: Caller) -> Self {
        Self {
            caller: Arc::new(caller),
            listener: Arc::clone(&self.listener),
            in_place: Arc::default(),
        }
    }

    pub(crate) fn in_place(&self) -> &InPlace {
        &self.in_place
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
