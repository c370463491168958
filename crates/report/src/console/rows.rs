//! Rows of any columns on a terminal.

use super::page::Page;
use super::terminal::Terminal;
use crate::csv::cell_text;
use crate::grid::{Align, Cell, Column, Grid};
use fairtrial_text::count::counted;
use serde_json::Value;

/// Rows as a table, and how many there are.
pub fn rows(columns: &[String], rows: &[Vec<Value>], terminal: Terminal) -> String {
    let column = |(place, title): (usize, &String)| {
        let is_number = rows
            .iter()
            .all(|row| row[place].is_number() || row[place].is_null());
        Column {
            align: if is_number { Align::Right } else { Align::Left },
            ..Column::words(title)
        }
    };
    let mut grid = Grid::new(columns.iter().enumerate().map(column).collect());
    for row in rows {
        grid.push(
            row.iter()
                .map(|value| Cell::from(cell_text(value)))
                .collect(),
        );
    }
    let mut page = Page::new(terminal);
    page.table(grid);
    page.sentence(&counted(rows.len(), "row"), crate::grid::Tone::Faint);
    page.finish()
}
