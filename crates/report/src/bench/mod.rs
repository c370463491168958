//! Commands timed against each other: the answer first, then the numbers of each command, then what was noticed.

mod answer;
mod bench_answer;
mod export;
mod histogram;
mod noticed;
mod table;
mod unit;

pub use answer::live;
pub use bench_answer::{BenchAnswer, BenchNumbers};
pub use export::{csv, markdown};

use crate::console::Terminal;
use crate::console::page::Page;
use crate::grid::Tone;

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
