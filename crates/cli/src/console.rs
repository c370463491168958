//! What every command gets: where to write, and the calling process for sessions.

use crate::exit::Failure;
use crate::global::Global;
use crate::printer::Printer;
use crate::signals::{self, Placed};
use crate::words::show_notice;
use fairtrial_session::{Caller, Controls, Event, Listener, Session};
use fairtrial_text::shell_word::shell_word;

/// Where a command writes, and what sessions know of this process.
pub(crate) struct Console {
    pub(crate) printer: Printer,
    caller: Caller,
}

impl Console {
    /// This process with what every command takes.
    pub(crate) fn new(global: &Global, printer: Printer) -> Result<Self, Failure> {
        let caller = Caller::this_process()
            .map_err(|error| Failure::machine(format!("cannot find this program: {error}")))?;
        Ok(Self {
            printer,
            caller: Caller {
                data_dir: global.data_dir.clone(),
                ..caller
            },
        })
    }

    /// The same for a command of which a file has standard output.
    pub(crate) fn with_printer(&self, printer: Printer) -> Self {
        Self {
            printer,
            caller: self.caller.clone(),
        }
    }

    /// The same with another data root, unless the user named one.
    pub(crate) fn with_data_dir(&self, dir: std::path::PathBuf) -> Self {
        let mut caller = self.caller.clone();
        caller.data_dir.get_or_insert(dir);
        Self {
            printer: self.printer,
            caller,
        }
    }

    /// What a command needs so that it finds the same runs: ` --data-dir DIR` where that was named, else nothing.
    pub(crate) fn data_words(&self) -> String {
        let dir = self.caller.data_dir.as_ref();
        dir.map_or(String::new(), |dir| {
            format!(" --data-dir {}", shell_word(&dir.display().to_string()))
        })
    }

    /// A session that tells what there is to know.
    pub(crate) fn session(&self) -> Session {
        let printer = self.printer;
        self.session_heard_by(move |event: Event<'_>| {
            if let Event::Notice(notice) = event {
                show_notice(&notice, printer);
            }
        })
    }

    /// A session that may become the controller of a run which a scheduler has. Signals reach its controls from then
    /// on; until then they end this process and leave the run alone.
    pub(crate) fn attending_session(
        &self,
        display: impl Listener + 'static,
    ) -> (Session, Controls) {
        let (controls, printer) = (Controls::default(), self.printer);
        let reached = controls.clone();
        let session = self.session_heard_by(move |event: Event<'_>| {
            if matches!(event, Event::Starting(_))
                && let Err(failure) = signals::reach(&reached, Placed::Elsewhere)
            {
                printer.warn(failure.message);
            }
            display.hear(event);
        });
        (session, controls)
    }

    /// A session with a listener of its own.
    pub(crate) fn session_heard_by(&self, listener: impl Listener + 'static) -> Session {
        Session::new(self.caller.clone(), listener)
    }
}
