//! Rows into episodes: where one ends and the next begins, and what stands under each name that is asked for.

use crate::error::{Checked, EpisodeError};
use crate::row::Rows;
use crate::value::{RunningValue, Slot};
use fairtrial_model::{EpisodeFile, Grouping};
use std::io::Read;

/// Where a name's value is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A declared value, by its place among those in use.
    Value(usize),
    /// A column, by its place among those that are kept of an episode's last row.
    Column(usize),
}

/// The episodes of one file, one at a time.
pub(crate) struct Episodes<'a, R> {
    declared: &'a EpisodeFile,
    rows: Rows<R>,
    boundary: Boundary,
    values: Vec<Used<'a>>,
    /// Columns that are kept as they stand, with what the last row had.
    kept: Vec<(usize, Vec<u8>)>,
    has_row: bool,
    ended: bool,
    count: u64,
}

/// A value in use; one that failed stays so.
struct Used<'a> {
    name: &'a str,
    state: Result<RunningValue<'a>, EpisodeError>,
}

/// Where episodes begin.
enum Boundary {
    EachRow,
    Repeats { column: usize, seen: Vec<Vec<u8>> },
    Same { column: usize, word: Vec<u8> },
    Rows { size: u64, taken: u64 },
}

impl<'a, R: Read> Episodes<'a, R> {
    /// Reads the titles.
    pub(crate) fn open(declared: &'a EpisodeFile, reader: R) -> Result<Self, EpisodeError> {
        let rows = Rows::open(&declared.file, reader)?;
        let boundary = match &declared.grouping {
            Grouping::EachRow => Boundary::EachRow,
            Grouping::Repeats(column) => Boundary::Repeats {
                column: rows.column(column)?,
                seen: Vec::new(),
            },
            Grouping::Same(column) => Boundary::Same {
                column: rows.column(column)?,
                word: Vec::new(),
            },
            Grouping::Rows(size) => Boundary::Rows {
                size: *size,
                taken: 0,
            },
        };
        Ok(Self {
            declared,
            rows,
            boundary,
            values: Vec::new(),
            kept: Vec::new(),
            has_row: false,
            ended: false,
            count: 0,
        })
    }

    /// Asks for a name: a declared value, else a column.
    pub(crate) fn ask(&mut self, name: &str) -> Result<Source, EpisodeError> {
        if let Some(place) = self.values.iter().position(|used| used.name == name) {
            return match &self.values[place].state {
                Ok(_) => Ok(Source::Value(place)),
                Err(error) => Err(error.clone()),
            };
        }
        let declared = self.declared.values.iter().find(|value| value.name == name);
        if let Some(declared) = declared {
            self.values.push(Used {
                name: &declared.name,
                state: Ok(RunningValue::new(declared, &self.rows)?),
            });
            return Ok(Source::Value(self.values.len() - 1));
        }
        let column = self.rows.column(name)?;
        let known = self.kept.iter().position(|(kept, _)| *kept == column);
        Ok(Source::Column(known.unwrap_or_else(|| {
            self.kept.push((column, Vec::new()));
            self.kept.len() - 1
        })))
    }

    /// No further name is asked for: what nobody needs is left alone from here on.
    pub(crate) fn ready(&mut self) {
        let of_values = self
            .values
            .iter()
            .filter_map(|used| used.state.as_ref().ok())
            .flat_map(RunningValue::columns);
        let of_boundary = match &self.boundary {
            Boundary::Repeats { column, .. } | Boundary::Same { column, .. } => Some(*column),
            _ => None,
        };
        let kept = self.kept.iter().map(|(column, _)| *column);
        let last = of_values.chain(of_boundary).chain(kept).max();
        self.rows.need_up_to(last.unwrap_or(0));
    }

    /// Goes to the next episode; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, EpisodeError> {
        if self.ended {
            return Ok(false);
        }
        if !self.has_row && !self.rows.advance()? {
            self.ended = true;
            return Ok(false);
        }
        for used in &mut self.values {
            if let Ok(running) = &mut used.state {
                running.reset();
            }
        }
        self.boundary.begin(&self.rows);
        loop {
            self.take_row();
            if !self.rows.advance()? {
                self.ended = true;
                break;
            }
            if self.boundary.is_new(&self.rows) {
                self.has_row = true;
                break;
            }
        }
        for used in &mut self.values {
            if let Ok(running) = &mut used.state {
                running.close();
            }
        }
        self.count += 1;
        Ok(true)
    }

    fn take_row(&mut self) {
        for used in &mut self.values {
            if let Ok(running) = &mut used.state
                && let Err(error) = running.take(&self.rows)
            {
                used.state = Err(*error);
            }
        }
        for (column, cell) in &mut self.kept {
            cell.clear();
            cell.extend_from_slice(self.rows.cell(*column));
        }
    }

    /// What the episode has under a name that was asked for.
    pub(crate) fn slot(&self, source: Source) -> Checked<Slot<'_>> {
        match source {
            Source::Column(place) => Ok(Slot::of_cell(&self.kept[place].1)),
            Source::Value(place) => match &self.values[place].state {
                Ok(running) => Ok(running.slot()),
                Err(error) => Err(Box::new(error.clone())),
            },
        }
    }

    /// The order of words behind a value that is always one of them.
    pub(crate) fn order(&self, source: Source) -> Option<&'a [String]> {
        match source {
            Source::Value(place) => self.values[place].state.as_ref().ok()?.order(),
            Source::Column(_) => None,
        }
    }

    /// Place of the episode's word in that order; nothing where the episode has none.
    pub(crate) fn rank(&self, source: Source) -> Checked<Option<usize>> {
        match source {
            Source::Value(place) => match &self.values[place].state {
                Ok(running) => Ok(running.rank()),
                Err(error) => Err(Box::new(error.clone())),
            },
            Source::Column(_) => Ok(None),
        }
    }

    /// How many episodes had each place of that order.
    pub(crate) fn ranked(&self, source: Source) -> Result<&[u64], EpisodeError> {
        match source {
            Source::Value(place) => match &self.values[place].state {
                Ok(running) => Ok(running.ranked()),
                Err(error) => Err(error.clone()),
            },
            Source::Column(_) => Ok(&[]),
        }
    }

    /// The number of the episode under a name; nothing where it is empty.
    pub(crate) fn number(&self, source: Source, name: &str) -> Checked<Option<f64>> {
        match self.slot(source)? {
            Slot::Empty => Ok(None),
            slot => slot
                .number()
                .map(Some)
                .ok_or_else(|| Box::new(self.not_a_number(slot, name))),
        }
    }

    fn not_a_number(&self, slot: Slot<'_>, name: &str) -> EpisodeError {
        let text = match slot {
            Slot::Word(word) => String::from_utf8_lossy(word).into_owned(),
            _ => String::new(),
        };
        EpisodeError::Number {
            file: self.rows.file().to_owned(),
            // The row after the episode has been read already, unless it was the last.
            line: self.rows.line_number() - u64::from(!self.ended),
            column: name.to_owned(),
            text,
        }
    }

    pub(crate) fn file(&self) -> &str {
        self.rows.file()
    }

    /// Place of the current episode, from 0.
    pub(crate) fn place(&self) -> u64 {
        self.count.saturating_sub(1)
    }

    /// How many episodes were read.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

impl Boundary {
    /// An episode begins with this row.
    fn begin<R: Read>(&mut self, rows: &Rows<R>) {
        match self {
            Self::EachRow => {}
            Self::Repeats { column, seen } => {
                // The words of the episode before make room without being freed.
                seen.truncate(1);
                match seen.first_mut() {
                    Some(first) => {
                        first.clear();
                        first.extend_from_slice(rows.cell(*column));
                    }
                    None => seen.push(rows.cell(*column).to_vec()),
                }
            }
            Self::Same { column, word } => {
                word.clear();
                word.extend_from_slice(rows.cell(*column));
            }
            Self::Rows { taken, .. } => *taken = 1,
        }
    }

    /// Whether a further row begins the next episode.
    fn is_new<R: Read>(&mut self, rows: &Rows<R>) -> bool {
        match self {
            Self::EachRow => true,
            Self::Repeats { column, seen } => {
                let cell = rows.cell(*column);
                let repeated = seen.iter().any(|word| word == cell);
                if !repeated {
                    seen.push(cell.to_vec());
                }
                repeated
            }
            Self::Same { column, word } => rows.cell(*column) != &word[..],
            Self::Rows { size, taken } => {
                *taken += 1;
                *taken > *size
            }
        }
    }
}
