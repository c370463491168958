//! A table as text: titles and rows, whichever of comma, semicolon and tab stands between the cells.

/// Separators of cells, the usual one first.
const SEPARATORS: [u8; 3] = [b',', b'\t', b';'];

/// Titles and rows, with a cell for every title and no more.
pub(super) struct Sheet {
    pub(super) titles: csv::StringRecord,
    pub(super) rows: Vec<csv::StringRecord>,
}

impl Sheet {
    /// Reads a table. A row with a cell too many or too few is refused: its values would stand under the wrong titles.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let (first, others) = SEPARATORS.split_first().unwrap_or((&b',', &[]));
        let usual = Self::separated(text, *first);
        let has_columns = |sheet: &Self| sheet.titles.len() > 1;
        if usual.as_ref().is_ok_and(has_columns) {
            return usual;
        }
        // A title may hold a comma, but only the real separator gives every row its cells.
        for separator in others {
            let other = Self::separated(text, *separator);
            if other.as_ref().is_ok_and(has_columns) {
                return other;
            }
        }
        // Where a line of titles has none of the usual separator, what is wrong is told of the one that it has.
        let titles = text.lines().next().unwrap_or_default().as_bytes();
        match others.iter().find(|other| titles.contains(other)) {
            Some(other) if !titles.contains(first) => Self::separated(text, *other),
            _ => usual,
        }
    }

    fn separated(text: &str, separator: u8) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        // Titles of results tables carry options (`Correct (%)|align right`), which are no part of the metric's name.
        let titles: csv::StringRecord = reader
            .headers()
            .map_err(|error| error.to_string())?
            .iter()
            .map(|title| title.trim_start_matches('\u{feff}'))
            .map(|title| title.split('|').next().unwrap_or(title).trim())
            .collect();
        let rows: Vec<csv::StringRecord> = reader
            .records()
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        for (index, row) in rows.iter().enumerate() {
            has_its_cells(&titles, row).map_err(|why| format!("row {} {why}", index + 2))?;
        }
        Ok(Self { titles, rows })
    }

    /// The line of the file that a row begins on.
    pub(super) fn line(&self, row: usize) -> u64 {
        let position = self.rows.get(row).and_then(csv::StringRecord::position);
        position.map_or(0, csv::Position::line)
    }

    /// A cell of a row; nothing where it is empty.
    pub(super) fn cell(&self, row: usize, column: Option<usize>) -> Option<&str> {
        let text = self.rows.get(row)?.get(column?)?;
        (!text.is_empty()).then_some(text)
    }
}

/// A row with another number of cells than there are titles has its values under the wrong ones, or not all of them.
/// Empty cells at the end are no values.
fn has_its_cells(titles: &csv::StringRecord, row: &csv::StringRecord) -> Result<(), String> {
    let filled = |record: &csv::StringRecord| {
        let filled = record
            .iter()
            .enumerate()
            .filter(|(_, cell)| !cell.is_empty());
        filled.map(|(place, _)| place + 1).max().unwrap_or(0)
    };
    if filled(row) > titles.len() {
        return Err(format!(
            "has {} cells, but there are {} titles: write decimals with a point (`0.95`), and a cell that holds a comma in \
             quotes",
            filled(row),
            titles.len()
        ));
    }
    if row.len() < filled(titles) {
        return Err(format!(
            "has {} cells, but there are {} titles: write a comma for each cell that is missing (or is the file cut off?)",
            row.len(),
            filled(titles)
        ));
    }
    Ok(())
}
