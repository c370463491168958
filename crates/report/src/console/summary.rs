//! A run's summary on a terminal.

use super::page::Page;
use super::terminal::Terminal;
use crate::grid::Tone;
use crate::summary::{Detail, SummaryView, headline, tables};
use fairtrial_analysis::RunSummary;

/// The summary as `run` prints it.
pub fn summary(summary: &RunSummary, terminal: Terminal) -> String {
    summary_as(summary, SummaryView::default(), terminal)
}

/// The summary with what was asked for.
pub fn summary_as(summary: &RunSummary, view: SummaryView, terminal: Terminal) -> String {
    let mut page = Page::new(terminal);
    page.heading(&headline(summary));
    for problem in &summary.problems {
        page.sentence(problem, Tone::Caution);
    }
    for section in tables(summary, Detail::Terminal(view)).shown {
        page.section(&section);
    }
    if !summary.metrics.is_empty() {
        page.gap();
        page.sentence(summary.missing_rule, Tone::Faint);
    }
    page.finish()
}
