//! A comparison as Markdown, in the form that people post under a change.

use super::table::section;
use crate::comparison::{
    failure_section, fairness_section, glyph, mismatch_sentences, primary_sentences, task_sections,
    verdict_section, verdict_sentence, watched_sentence,
};
use crate::ranking::ranking_sections;
use fairtrial_analysis::Comparison;
use fairtrial_analysis::compare::{Contrast, Role};
use fairtrial_analysis::watch::WatchReport;
use fairtrial_text::escape::markdown;

/// The comparison as one page.
pub fn comparison(comparison: &Comparison, watched: Option<&WatchReport>) -> String {
    let mut parts = vec!["# Comparison\n".to_owned()];
    let warnings = mismatch_sentences(&comparison.mismatches);
    let problems = comparison
        .problems
        .iter()
        .map(|problem| format!("{problem}."));
    let all: Vec<String> = problems
        .chain(warnings)
        .map(|text| format!("> ⚠️ {}\n", markdown(&text)))
        .collect();
    if !all.is_empty() {
        parts.push(all.join(">\n"));
    }
    parts.extend(watched.map(|report| format!("{}\n", markdown(&watched_sentence(report)))));
    for contrast in &comparison.contrasts {
        parts.push(contrast_part(contrast, comparison));
    }
    parts.extend(ranking_sections(&comparison.rankings).iter().map(section));
    parts.join("\n")
}

fn contrast_part(contrast: &Contrast, comparison: &Comparison) -> String {
    let mut table = verdict_section(contrast, comparison);
    for (row, metric) in table.grid.rows.iter_mut().zip(&contrast.metrics) {
        if let Some(verdict) = row.last_mut() {
            verdict.text = format!("{} {}", glyph(metric.verdict.word), metric.verdict.word);
        }
    }
    let mut parts = vec![section(&table)];
    for metric in contrast
        .metrics
        .iter()
        .filter(|metric| metric.role == Role::Primary)
    {
        let detail: Vec<String> = primary_sentences(metric)
            .iter()
            .map(|sentence| format!("- {}\n", markdown(sentence)))
            .collect();
        parts.push(format!(
            "**{}**\n\n{}",
            markdown(&verdict_sentence(metric)),
            detail.concat()
        ));
    }
    let first = failure_section(contrast)
        .into_iter()
        .chain(fairness_section(contrast));
    let rest = first.chain(task_sections(contrast));
    parts.extend(rest.map(|part| section(&part)));
    parts.join("\n")
}
