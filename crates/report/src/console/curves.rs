//! A learning-curve analysis on a terminal: the verdict first.

use super::page::Page;
use super::terminal::Terminal;
use crate::curves::{sections, tone, verdict_sentence};
use fairtrial_analysis::curves::Analysis;

/// The analysis as `analyze` prints it.
pub fn analysis(analysis: &Analysis, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    let comparison = &analysis.comparison;
    page.sentence(&verdict_sentence(comparison), tone(comparison.verdict.word));
    for section in sections(analysis) {
        page.section(&section);
    }
    page.finish()
}
