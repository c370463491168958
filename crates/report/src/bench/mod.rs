//! Commands timed against each other: the answer first, then the numbers of each command, then what was noticed.

mod answer;
mod noticed;
mod table;
mod time_unit;

use crate::console::Terminal;
use crate::console::page::Page;
use crate::grid::Tone;
use fairtrial_analysis::bench::{BenchEnd, CommandAnswer, Finding, NoticedIn, Timing};
use serde::Serialize;
use std::time::Duration;

/// What a bench came to.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct BenchAnswer<'a> {
    /// Each command but the first against the first.
    pub answers: &'a [CommandAnswer],
    /// The numbers of each command.
    pub commands: &'a [Timing],
    /// What a reader should know.
    pub noticed: &'a [NoticedIn],
    /// Why it ended before its answer, where it did.
    pub end: Option<BenchEnd>,
    /// What was compared, as people say it.
    pub metric: &'static str,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// Seconds of an empty shell, which are taken off.
    pub shell_s: Option<f64>,
    /// How long it took.
    pub took: Duration,
}

/// A bench on a terminal.
pub fn console(answer: &BenchAnswer<'_>, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    for (sentence, tone) in answer::sentences(answer) {
        page.sentence(&sentence, tone);
    }
    if !answer.commands.is_empty() {
        page.gap();
        page.table(table::grid(answer));
    }
    let notes = noticed::sentences(answer);
    if !notes.is_empty() {
        page.gap();
    }
    for note in notes {
        page.sentence(&note, Tone::Caution);
    }
    page.finish()
}

fn tone(finding: Finding) -> Tone {
    match finding {
        Finding::Faster => Tone::Good,
        Finding::Slower => Tone::Bad,
        Finding::Equivalent => Tone::Plain,
        Finding::Open => Tone::Caution,
    }
}
