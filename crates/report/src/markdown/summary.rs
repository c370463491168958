//! A run's summary as `summary.md`.

use super::table::{folded, section};
use crate::summary::{Detail, headline, tables};
use fairtrial_analysis::RunSummary;
use fairtrial_text::escape::markdown;

/// What `summary.md` says about the run besides its numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SummaryHeader {
    /// Lines of name and value (spec, host, commit), in order.
    pub facts: Vec<(String, String)>,
    /// Free text of the spec.
    pub notes: String,
}

/// The whole of `summary.md`.
pub fn summary(summary: &RunSummary, header: &SummaryHeader) -> String {
    let title = summary.run.as_ref().map_or("Summary".to_owned(), |run| {
        format!("Summary: {} {}", run.name, run.stamp)
    });
    let mut parts = vec![format!(
        "# {}\n\n{}\n",
        markdown(&title),
        markdown(&headline(summary))
    )];
    if !header.facts.is_empty() {
        let fact = |(name, value): &(String, String)| {
            format!("- {}: {}\n", markdown(name), markdown(value))
        };
        parts.push(header.facts.iter().map(fact).collect());
    }
    if !header.notes.is_empty() {
        parts.push(format!("{}\n", header.notes.trim()));
    }
    let problem = |problem: &String| format!("> ⚠️ {}\n", markdown(problem));
    parts.extend(summary.problems.iter().map(problem));
    let tables = tables(summary, Detail::File);
    parts.extend(tables.shown.iter().map(section));
    parts.extend(
        tables
            .folded
            .map(|(note, of)| folded(&note, of.iter().map(section))),
    );
    parts.push(format!("{}\n", summary.missing_rule));
    parts.join("\n")
}
