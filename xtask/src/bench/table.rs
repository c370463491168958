//! Prints rows in columns.

/// A table that is printed when it is complete.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub(super) fn new(headings: &[&str]) -> Self {
        let headings = headings.iter().map(|&text| text.to_owned()).collect();
        Self {
            rows: vec![headings],
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Prints it as Markdown, so that it can stand in the docs as it is.
    pub(super) fn print(&self) {
        let columns = self.rows[0].len();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (place, row) in self.rows.iter().enumerate() {
            let cells = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:width$}"));
            println!("| {} |", cells.collect::<Vec<_>>().join(" | "));
            if place == 0 {
                let rules = widths.iter().map(|width| "-".repeat(*width));
                println!("|-{}-|", rules.collect::<Vec<_>>().join("-|-"));
            }
        }
        println!();
    }
}
