//! Tables as Markdown, as files and pull requests show them.

mod comparison;
mod gate;
mod posted;
mod report;
mod summary;
mod sweep;

pub use comparison::comparison;
pub use gate::gate;
pub use posted::posted;
pub use report::{MarkdownReport, report};
pub use summary::{SummaryHeader, summary};
pub use sweep::sweep;

use crate::grid::{Align, Grid, Section};

/// A table in pipes; numbers stand on the right.
pub fn table(grid: &Grid) -> String {
    let titles = grid.columns.iter().map(|column| escape(&column.title));
    let rules = grid.columns.iter().map(|column| match column.align {
        Align::Left => "---".to_owned(),
        Align::Right => "---:".to_owned(),
    });
    let mut text = row(titles) + &row(rules);
    for cells in &grid.rows {
        text.push_str(&row(cells.iter().map(|cell| escape(&cell.text))));
    }
    text
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Text that stands for itself in a Markdown table.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '*' | '_' | '`' | '<' | '>' | '\\' => {
                safe.push('\\');
                safe.push(c);
            }
            '\n' | '\r' => safe.push(' '),
            _ => safe.push(c),
        }
    }
    safe
}

/// Heading, table and notes.
fn section(section: &Section) -> String {
    let mut text = format!("## {}\n", escape(&section.title));
    if !section.grid.rows.is_empty() {
        text.push('\n');
        text.push_str(&table(&section.grid));
    }
    if !section.notes.is_empty() {
        text.push('\n');
        text.push_str(&escape(&section.notes.join(" ")));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn text_from_users_cannot_break_a_table() {
        assert_eq!(escape("a|b\nc_d"), "a\\|b c\\_d");
    }
}
