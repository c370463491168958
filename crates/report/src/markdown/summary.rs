//! A run's summary as `summary.md`.

use super::{escape, section};
use crate::summary::{Detail, headline, sections};
use fairtrial_analysis::RunSummary;

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
    let mut text = format!("# {}\n\n{}\n", escape(&title), escape(&headline(summary)));
    if !header.facts.is_empty() {
        text.push('\n');
    }
    for (name, value) in &header.facts {
        text.push_str(&format!("- {}: {}\n", escape(name), escape(value)));
    }
    if !header.notes.is_empty() {
        text.push_str(&format!("\n{}\n", header.notes.trim()));
    }
    for problem in &summary.problems {
        text.push_str(&format!(
            "\n**Problem in the journal:** {}\n",
            escape(problem)
        ));
    }
    for part in sections(summary, Detail::File) {
        text.push_str(&section(&part));
    }
    text.push_str(&format!("\n{}\n", summary.missing_rule));
    text
}
