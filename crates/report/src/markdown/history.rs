//! A benchmark's history as Markdown.

use super::table::section;
use crate::history::{RunRows, headline, notes, sections};
use fairtrial_analysis::history::BenchmarkHistory;
use fairtrial_text::escape::{markdown, markdown_sentence};

/// The changes, the lines, and what must be known beside them.
pub fn history(history: &BenchmarkHistory, runs: RunRows) -> String {
    let mut parts = vec![format!("# {}\n", markdown(&headline(history)))];
    parts.extend(sections(history, runs).iter().map(section));
    let notes: Vec<String> = notes(history)
        .iter()
        .map(|note| format!("{}\n", markdown_sentence(note)))
        .collect();
    parts.push(notes.join("\n"));
    parts.join("\n")
}
