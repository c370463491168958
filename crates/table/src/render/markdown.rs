//! Markdown: a pipe table with the columns' alignment.

use crate::header::{Align, HeaderError};
use crate::table::Table;
use fairtrial_text::escape;

/// Renders a table; a wrong alignment is an error. Hover texts have no place in Markdown and are left out.
pub fn markdown(table: &Table) -> Result<String, HeaderError> {
    let columns = table.columns();
    if let Some(error) = columns.iter().find_map(|column| column.error.clone()) {
        return Err(error);
    }
    let shown: Vec<usize> = (0..columns.len())
        .filter(|place| !columns[*place].hidden)
        .collect();
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut page = line(
        shown
            .iter()
            .map(|place| cell_text(&columns[*place].title))
            .collect(),
    );
    let rule = |place: &usize| {
        let rule = match columns[*place].align {
            Some(Align::Right) => "---:",
            Some(Align::Left) => ":---",
            None => "---",
        };
        rule.to_owned()
    };
    page.push_str(&line(shown.iter().map(rule).collect()));
    for row in table.rows() {
        let cell = |place: &usize| cell_text(row.cell(*place).unwrap_or_default().trim());
        page.push_str(&line(shown.iter().map(cell).collect()));
    }
    Ok(page)
}

/// Everything in a cell is text; its lines stay lines.
fn cell_text(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(escape::markdown).collect();
    lines.join("<br>")
}
