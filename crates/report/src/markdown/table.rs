//! A table, and a section around it, as Markdown.

use crate::grid::{Align, Grid, Section};
use fairtrial_text::escape::{markdown, markdown_sentence, xml_sentence};

/// A table in pipes; numbers stand on the right.
pub fn table(grid: &Grid) -> String {
    let titles = grid.columns.iter().map(|column| markdown(&column.title));
    let rules = grid.columns.iter().map(|column| match column.align {
        Align::Left => "---".to_owned(),
        Align::Right => "---:".to_owned(),
    });
    let mut text = row(titles) + &row(rules);
    for cells in &grid.rows {
        text.push_str(&row(cells.iter().map(|cell| markdown(&cell.text))));
    }
    text
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

/// What a reader opens to see; the sentence stands in sight.
pub(super) fn folded(note: &str, parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    format!(
        "<details>\n<summary>{}</summary>\n\n{}\n</details>\n",
        xml_sentence(note),
        parts.join("\n")
    )
}

/// Heading, table and notes.
pub(super) fn section(section: &Section) -> String {
    let mut text = format!("## {}\n", markdown(&section.title));
    if !section.grid.rows.is_empty() {
        text.push('\n');
        text.push_str(&table(&section.grid));
    }
    if !section.notes.is_empty() {
        text.push('\n');
        text.push_str(&markdown_sentence(&section.notes.join(" ")));
        text.push('\n');
    }
    text
}
