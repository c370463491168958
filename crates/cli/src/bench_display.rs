//! A bench as a person sees it while it runs: how far it is, warnings, and what the commands write where that was asked for.

use crate::printer::Printer;
use crate::words::show_notice;
use fairtrial_analysis::bench::CommandAnswer;
use fairtrial_session::{BisectCommit, BisectEvent, Event, Listener, Notice, RunEvent};
use fairtrial_text::count::counted;
use fairtrial_text::escape::terminal_line;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Shows a bench.
pub(crate) struct BenchDisplay {
    printer: Printer,
    bar: ProgressBar,
    runs: AtomicUsize,
}

/// How often the live line is drawn: seldom, because it is drawn beside what is measured.
const DRAWN_PER_SECOND: u8 = 4;

impl BenchDisplay {
    /// A live line where there is a terminal for it.
    pub(crate) fn new(printer: Printer) -> Self {
        let bar = if io::stderr().is_terminal() {
            let target = ProgressDrawTarget::stderr_with_hz(DRAWN_PER_SECOND);
            let style = ProgressStyle::with_template("{prefix}  {wide_msg}");
            ProgressBar::with_draw_target(None, target)
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        } else {
            ProgressBar::hidden()
        };
        bar.set_prefix("warming up");
        Self {
            printer,
            bar,
            runs: AtomicUsize::new(0),
        }
    }

    fn happened(&self, event: RunEvent) {
        let printer = self.printer;
        match event {
            RunEvent::Warning(text) => self.bar.suspend(|| printer.warn(text)),
            RunEvent::Output { bytes, .. } => {
                let text = String::from_utf8_lossy(&bytes);
                let text = text.trim_end_matches('\n');
                self.bar.suspend(|| printer.tell_painted(text));
            }
            RunEvent::Ended(ended) => {
                let before = self.runs.fetch_add(ended.len(), Ordering::Relaxed);
                self.bar.set_prefix(counted(before + ended.len(), "run"));
                self.bar.tick();
            }
            _ => {}
        }
    }
}

impl Listener for BenchDisplay {
    fn hear(&self, event: Event<'_>) {
        match event {
            Event::Notice(notice) if !is_in_answer(&notice) => {
                self.bar.suspend(|| show_notice(&notice, self.printer));
            }
            Event::Run(event) => self.happened(event),
            Event::Looked(trajectory) => {
                let answers = CommandAnswer::all(trajectory, Duration::ZERO);
                let live = fairtrial_report::bench::live(&answers);
                self.bar.set_message(terminal_line(&live).into_owned());
            }
            Event::Bisect(event) => {
                let text = terminal_line(&bisect_words(&event)).into_owned();
                self.bar.suspend(|| self.printer.tell(text));
            }
            Event::Left => self.bar.finish_and_clear(),
            Event::Notice(_) | Event::Starting(_) | Event::Result(_) => {}
        }
    }
}

/// What a bisect does next, in a line.
fn bisect_words(event: &BisectEvent<'_>) -> String {
    match event {
        BisectEvent::GoesOn { trials, skipped } => {
            let skipped = match skipped {
                0 => String::new(),
                skipped => format!(", {} were skipped", counted(*skipped, "commit")),
            };
            format!(
                "resumed: {} were measured before{skipped}",
                counted(*trials, "run")
            )
        }
        BisectEvent::Building(commit) => format!("building {}", commit.named()),
        BisectEvent::Skipped { commit, why } => {
            let why = why.lines().next().unwrap_or_default();
            format!("skipped {}: {why}", commit.named())
        }
        BisectEvent::Measuring { commits, blocks } => {
            let names: Vec<&str> = commits.iter().map(|it| BisectCommit::short(it)).collect();
            let before = match blocks {
                0 => String::new(),
                blocks => format!(", after {} before", counted(*blocks, "block")),
            };
            format!("measuring {} in turns{before}", names.join(", "))
        }
    }
}

/// How long trials waited for a CPU is in the answer, command by command.
const fn is_in_answer(notice: &Notice) -> bool {
    matches!(notice, Notice::WaitedForCpu { .. })
}
