//! A table before it has a look: columns, rows, and what may be left out where there is no room.

/// On which side the text of a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// How a cell is to be stressed, where the medium can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Good news.
    Good,
    /// Bad news.
    Bad,
    /// Look twice.
    Caution,
    /// Beside the point.
    Faint,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its title.
    pub title: String,
    /// Its side.
    pub align: Align,
    /// Columns with the highest number are left out first where a terminal is narrow; 0 is never left out.
    pub drop_rank: u8,
}

impl Column {
    /// A column of words that always stays.
    pub fn words(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            align: Align::Left,
            drop_rank: 0,
        }
    }

    /// A column of numbers that always stays.
    pub fn numbers(title: impl Into<String>) -> Self {
        Self {
            align: Align::Right,
            ..Self::words(title)
        }
    }

    /// The same, but it may go.
    #[must_use]
    pub fn may_go(self, drop_rank: u8) -> Self {
        Self { drop_rank, ..self }
    }
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// Its stress.
    pub tone: Tone,
}

impl Cell {
    /// The same text, stressed.
    #[must_use]
    pub fn toned(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            tone: Tone::Plain,
        }
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grid {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each with one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

impl Grid {
    /// An empty table.
    pub fn new(columns: Vec<Column>) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len(), "one cell per column");
        self.rows.push(row);
    }

    /// The table without the columns of which every cell is empty.
    #[must_use]
    pub fn without_empty_columns(mut self) -> Self {
        for place in (0..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row[place].text.is_empty()) {
                self.remove(place);
            }
        }
        self
    }

    /// Takes out the columns that may go first; those of one rank go together. Says whether there were any.
    pub fn drop_some(&mut self) -> bool {
        let highest = self.columns.iter().map(|column| column.drop_rank).max();
        let Some(rank) = highest.filter(|rank| *rank > 0) else {
            return false;
        };
        for place in (0..self.columns.len()).rev() {
            if self.columns[place].drop_rank == rank {
                self.remove(place);
            }
        }
        true
    }

    fn remove(&mut self, place: usize) {
        for row in &mut self.rows {
            row.remove(place);
        }
        self.columns.remove(place);
    }
}

/// A table with what belongs around it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// The table.
    pub grid: Grid,
    /// Sentences under it.
    pub notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::{Column, Grid};

    #[test]
    fn the_highest_rank_goes_first_and_rank_zero_never() {
        let mut grid = Grid::new(vec![
            Column::words("a"),
            Column::numbers("b").may_go(1),
            Column::numbers("c").may_go(2),
            Column::numbers("d").may_go(2),
        ]);
        grid.push(vec!["1".into(), "2".into(), "3".into(), "4".into()]);
        let titles = |grid: &Grid| {
            let titles = grid.columns.iter().map(|column| column.title.clone());
            titles.collect::<Vec<_>>().concat()
        };
        assert!(grid.drop_some());
        assert_eq!(titles(&grid), "ab");
        assert!(grid.drop_some());
        assert_eq!(titles(&grid), "a");
        assert!(!grid.drop_some());
        assert_eq!(grid.rows[0].len(), 1);
    }

    #[test]
    fn empty_columns_go() {
        let mut grid = Grid::new(vec![Column::words("a"), Column::words("b")]);
        grid.push(vec!["".into(), "x".into()]);
        let grid = grid.without_empty_columns();
        assert_eq!(grid.columns.len(), 1);
        assert_eq!(grid.rows[0][0].text, "x");
    }
}
