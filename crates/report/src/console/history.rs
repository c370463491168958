//! A benchmark's history on a terminal.

use super::page::Page;
use super::terminal::Terminal;
use crate::grid::Tone;
use crate::history::{RunRows, headline, notes, sections};
use fairtrial_analysis::history::BenchmarkHistory;

/// The history as `history` prints it.
pub fn history(history: &BenchmarkHistory, runs: RunRows, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    page.heading(&headline(history));
    for section in sections(history, runs) {
        page.section(&section);
    }
    page.gap();
    for note in notes(history) {
        page.sentence(&note, Tone::Plain);
    }
    page.finish()
}
