//! The episode grammar: which places of an ordered list are meant (`0,3,5:8`, `4:`, `:8`, `all`).
//!
//! Ends are exclusive, repeats count once, and a selection that names nothing or something beyond the end is an error.

use std::ops::Range;

/// The grammar in one line, for messages.
pub const EPISODE_GRAMMAR: &str =
    "Write places from 0, separated by commas: `3`, `5:8` (5, 6, 7), `4:`, `:8`, or `all`";

/// Why a selection is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EpisodeError {
    /// Neither a place, a range nor `all`.
    #[error("{0} is not a valid selection. {EPISODE_GRAMMAR}")]
    Selection(String),
    /// A place beyond the end.
    #[error("{text} is not a valid index. There are {total} places, the first is 0")]
    Index {
        /// The place as written.
        text: String,
        /// How many there are.
        total: u64,
    },
    /// A range that is empty, backwards or reaches beyond the end.
    #[error("{text} is not a valid range. {}the end of a range is not part of it", places(*.total))]
    Range {
        /// The range as written.
        text: String,
        /// How many there are.
        total: u64,
    },
}

/// How many places there are, where that is known already.
fn places(total: u64) -> String {
    match total {
        u64::MAX => "It is empty: ".to_owned(),
        total => format!("There are {total} places, and "),
    }
}

/// A set of places, as ranges that are sorted and do not touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpisodeSet {
    ranges: Vec<Range<u64>>,
}

impl EpisodeSet {
    /// The places that `text` selects out of `total`; the empty text means all.
    pub fn parse(text: &str, total: u64) -> Result<Self, EpisodeError> {
        if text.trim().is_empty() {
            return Ok(Self::everything(total));
        }
        let parts = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        let ranges = parts
            .map(|part| Place::parse(part)?.resolve(part, total))
            .collect::<Result<Vec<_>, _>>()?;
        if ranges.is_empty() {
            return Err(EpisodeError::Selection(text.trim().to_owned()));
        }
        Ok(Self::from_ranges(ranges))
    }

    fn everything(total: u64) -> Self {
        let all = 0..total;
        Self { ranges: vec![all] }
    }

    fn from_ranges(mut ranges: Vec<Range<u64>>) -> Self {
        ranges.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Self { ranges: merged }
    }

    /// The ranges, sorted.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// Every place, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.ranges.iter().cloned().flatten()
    }

    /// Whether a place is in the set.
    pub fn contains(&self, place: u64) -> bool {
        self.ranges.iter().any(|range| range.contains(&place))
    }
}

/// One part of a selection, before it is known how many places there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    All,
    One(u64),
    Between(Option<u64>, Option<u64>),
}

impl Place {
    pub(crate) fn parse(part: &str) -> Result<Self, EpisodeError> {
        let bad = || EpisodeError::Selection(part.to_owned());
        if part.eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        let Some((start, end)) = part.split_once(':') else {
            return digits(part).map(Self::One).ok_or_else(bad);
        };
        let side = |text: &str| match text.trim() {
            "" => Ok(None),
            text => digits(text).map(Some).ok_or_else(bad),
        };
        Ok(Self::Between(side(start)?, side(end)?))
    }

    fn resolve(self, part: &str, total: u64) -> Result<Range<u64>, EpisodeError> {
        let text = part.to_owned();
        let range = match self {
            Self::All => 0..total,
            Self::One(place) if place < total => place..place + 1,
            Self::One(_) => return Err(EpisodeError::Index { text, total }),
            Self::Between(start, end) => start.unwrap_or(0)..end.unwrap_or(total),
        };
        let whole = matches!(self, Self::All | Self::Between(None, None));
        if whole || (range.start < range.end && range.end <= total) {
            Ok(range)
        } else {
            Err(EpisodeError::Range { text, total })
        }
    }

    pub(crate) fn contains(self, place: u64) -> bool {
        match self {
            Self::All => true,
            Self::One(one) => one == place,
            Self::Between(start, end) => {
                start.is_none_or(|start| place >= start) && end.is_none_or(|end| place < end)
            }
        }
    }
}

fn digits(text: &str) -> Option<u64> {
    let all_digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| all_digits)
}
