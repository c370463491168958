//! A bench as a person sees it while it runs: warnings, and what the commands write where that was asked for.

use crate::printer::Printer;
use crate::words::show_notice;
use fairtrial_session::{Event, Listener, Notice, RunEvent};

/// Shows a bench.
pub(crate) struct BenchDisplay {
    pub(crate) printer: Printer,
}

impl Listener for BenchDisplay {
    fn hear(&self, event: Event<'_>) {
        match event {
            // The answer has the same, command by command.
            Event::Notice(Notice::WaitedForCpu { .. }) => {}
            Event::Notice(notice) => show_notice(&notice, self.printer),
            Event::Run(RunEvent::Warning(text)) => self.printer.warn(text),
            Event::Run(RunEvent::Output { bytes, .. }) => {
                let text = String::from_utf8_lossy(&bytes);
                self.printer.tell_painted(text.trim_end_matches('\n'));
            }
            Event::Starting(_) | Event::Run(_) | Event::Left | Event::Result(_) => {}
        }
    }
}
