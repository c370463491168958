//! The answer of a run on a terminal.

use super::page::Page;
use super::terminal::Terminal;
use crate::answer::{ComparisonAnswer, RunAnswer, brief_lines};
use crate::summary::primary_section;
use fairtrial_analysis::Comparison;

/// Lines that are read; more of them are not.
const MOST_LINES: usize = 15;

/// The answer as `run` prints it at its end: a few lines, the verdict last.
pub fn answer(answer: &RunAnswer<'_>, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    // Without a comparison the numbers themselves are the answer.
    let compared =
        answer.comparison.is_some() || answer.trajectory.is_some() || answer.choice.is_some();
    if let Some(section) = primary_section(answer.summary).filter(|_| !compared) {
        page.section(&section);
        page.gap();
    }
    let room = MOST_LINES.saturating_sub(page.height());
    for line in answer.lines(terminal.width, room) {
        page.columns(&line.text, line.tone);
    }
    page.finish()
}

/// The answer as `compare` prints it: a few lines, the verdict last.
pub fn comparison_answer(answer: &ComparisonAnswer<'_>, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    for line in answer.lines(terminal.width, MOST_LINES) {
        page.columns(&line.text, line.tone);
    }
    page.finish()
}

/// A comparison in one line per metric.
pub fn brief(comparison: &Comparison, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    for line in brief_lines(comparison, terminal.width) {
        page.columns(&line.text, line.tone);
    }
    page.finish()
}
