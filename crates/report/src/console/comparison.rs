//! The tables of a comparison on a terminal.

use super::page::Page;
use super::terminal::Terminal;
use crate::comparison::{
    failure_section, fairness_section, mismatch_sentences, primary_sentences, task_sections, tone,
    verdict_section, verdict_sentence, watched_sentence,
};
use crate::grid::Tone;
use crate::ranking::ranking_sections;
use fairtrial_analysis::Comparison;
use fairtrial_analysis::compare::{Contrast, Role};
use fairtrial_analysis::watch::WatchReport;

/// The tables of a comparison: the verdicts, and what they rest on.
pub fn comparison(
    comparison: &Comparison,
    watched: Option<&WatchReport>,
    terminal: Terminal,
) -> String {
    let mut page = Page::new(terminal);
    for problem in &comparison.problems {
        page.sentence(problem, Tone::Caution);
    }
    for sentence in mismatch_sentences(&comparison.mismatches) {
        page.sentence(&sentence, Tone::Caution);
    }
    if let Some(report) = watched {
        page.sentence(&watched_sentence(report), Tone::Plain);
    }
    for contrast in &comparison.contrasts {
        contrast_part(&mut page, contrast, comparison);
    }
    for section in ranking_sections(&comparison.rankings) {
        page.section(&section);
    }
    page.finish()
}

fn contrast_part(page: &mut Page, contrast: &Contrast, comparison: &Comparison) {
    if !contrast.metrics.is_empty() {
        page.section(&verdict_section(contrast, comparison));
    }
    for metric in contrast
        .metrics
        .iter()
        .filter(|metric| metric.role == Role::Primary)
    {
        page.gap();
        page.sentence(&verdict_sentence(metric), tone(metric.verdict.word));
        for sentence in primary_sentences(metric) {
            page.sentence(&sentence, Tone::Plain);
        }
    }
    let first = failure_section(contrast)
        .into_iter()
        .chain(fairness_section(contrast));
    for section in first.chain(task_sections(contrast)) {
        page.section(&section);
    }
}
