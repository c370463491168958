//! One value of an episode while its rows come in.

use crate::error::{Checked, EpisodeError};
use crate::row::{Rows, is_missing, number};
use fairtrial_model::{EpisodeValue, Reduce};
use fairtrial_stats::descriptive::CompensatedSum;
use std::io::Read;

/// What an episode has under a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Slot<'a> {
    /// Nothing.
    Empty,
    /// A number.
    Number(f64),
    /// What stands in a cell, word or number.
    Word(&'a [u8]),
}

impl<'a> Slot<'a> {
    /// What a cell holds.
    pub(crate) fn of_cell(cell: &'a [u8]) -> Self {
        let cell = cell.trim_ascii();
        if is_missing(cell) {
            Self::Empty
        } else {
            Self::Word(cell)
        }
    }

    /// The number, where it is one.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Empty => None,
            Self::Number(number) => Some(number),
            Self::Word(word) => number(word),
        }
    }
}

/// A value that is being made.
pub(crate) struct RunningValue<'a> {
    declared: &'a EpisodeValue,
    column: usize,
    over: Option<usize>,
    sum: CompensatedSum,
    n: u64,
    extreme: f64,
    rank: Option<usize>,
    /// How many ended episodes had each place of the order.
    ranked: Vec<u64>,
    word: Vec<u8>,
    has_word: bool,
}

impl<'a> RunningValue<'a> {
    /// Finds the columns.
    pub(crate) fn new<R: Read>(
        declared: &'a EpisodeValue,
        rows: &Rows<R>,
    ) -> Result<Self, EpisodeError> {
        Ok(Self {
            declared,
            column: rows.column(&declared.column)?,
            over: declared
                .over
                .as_ref()
                .map(|over| rows.column(over))
                .transpose()?,
            sum: CompensatedSum::default(),
            n: 0,
            extreme: f64::NAN,
            rank: None,
            ranked: match &declared.reduce {
                Reduce::Strongest(order) => vec![0; order.len()],
                _ => Vec::new(),
            },
            word: Vec::new(),
            has_word: false,
        })
    }

    /// The columns that it reads.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.column).chain(self.over)
    }

    /// Begins a new episode.
    pub(crate) fn reset(&mut self) {
        self.sum = CompensatedSum::default();
        self.n = 0;
        self.extreme = f64::NAN;
        self.rank = None;
        self.has_word = false;
    }

    /// The episode has no further row.
    pub(crate) fn close(&mut self) {
        if let Some(rank) = self.rank {
            self.ranked[rank] += 1;
        }
    }

    /// How many episodes had each place of the order.
    pub(crate) fn ranked(&self) -> &[u64] {
        &self.ranked
    }

    /// Takes in a row.
    pub(crate) fn take<R: Read>(&mut self, rows: &Rows<R>) -> Checked<()> {
        match &self.declared.reduce {
            Reduce::Strongest(order) => self.take_rank(rows, order),
            Reduce::First if self.has_word => Ok(()),
            Reduce::First | Reduce::Last if self.over.is_none() => {
                self.word.clear();
                self.word.extend_from_slice(rows.cell(self.column));
                self.has_word = true;
                Ok(())
            }
            _ => {
                if let Some(value) = self.row_number(rows)? {
                    self.take_number(value);
                }
                Ok(())
            }
        }
    }

    fn take_rank<R: Read>(&mut self, rows: &Rows<R>, order: &[String]) -> Checked<()> {
        let cell = rows.cell(self.column).trim_ascii();
        if is_missing(cell) {
            return Ok(());
        }
        let rank = order.iter().position(|word| word.as_bytes() == cell);
        let Some(rank) = rank else {
            return Err(Box::new(rows.unknown_word(self.column)));
        };
        self.rank = self.rank.max(Some(rank));
        Ok(())
    }

    fn row_number<R: Read>(&self, rows: &Rows<R>) -> Checked<Option<f64>> {
        let Some(value) = rows.number(self.column)? else {
            return Ok(None);
        };
        let Some(over) = self.over else {
            return Ok(Some(value));
        };
        Ok(match rows.number(over)? {
            None => None,
            Some(0.0) => self.declared.by_zero.map(|number| number.0),
            Some(under) => Some(value / under),
        })
    }

    fn take_number(&mut self, value: f64) {
        let keep = match self.declared.reduce {
            Reduce::Max => self.extreme.max(value),
            Reduce::Min => self.extreme.min(value),
            Reduce::First if self.n > 0 => self.extreme,
            _ => value,
        };
        self.extreme = keep;
        self.sum.add(value);
        self.n += 1;
    }

    /// The order of words that it chooses the strongest of, where that is all it can be.
    pub(crate) fn order(&self) -> Option<&'a [String]> {
        match &self.declared.reduce {
            Reduce::Strongest(order) if self.declared.empty.is_none() => Some(order),
            _ => None,
        }
    }

    /// Place of the episode's word in that order.
    pub(crate) fn rank(&self) -> Option<usize> {
        self.rank
    }

    /// What the episode has.
    pub(crate) fn slot(&self) -> Slot<'_> {
        let empty = || {
            self.declared
                .empty
                .map_or(Slot::Empty, |number| Slot::Number(number.0))
        };
        match &self.declared.reduce {
            Reduce::Strongest(order) => self
                .rank
                .map_or_else(empty, |rank| Slot::Word(order[rank].as_bytes())),
            Reduce::First | Reduce::Last if self.over.is_none() => {
                match Slot::of_cell(if self.has_word { &self.word } else { b"" }) {
                    Slot::Empty => empty(),
                    word => word,
                }
            }
            _ if self.n == 0 => empty(),
            Reduce::Mean => Slot::Number(self.sum.value() / self.n as f64),
            Reduce::Sum => Slot::Number(self.sum.value()),
            _ => Slot::Number(self.extreme),
        }
    }
}
