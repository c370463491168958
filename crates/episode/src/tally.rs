//! What a measure keeps while episodes pass: a few numbers, never the episodes.

use crate::error::EpisodeError;
use fairtrial_model::MeasureKind;
use fairtrial_stats::descriptive::CompensatedSum;
use std::collections::BTreeSet;

/// Different words that a metric counts, or is split by, at most.
pub(crate) const MOST_WORDS: usize = 10_000;

/// The running state of one measure.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    /// Episodes that passed selection and filter.
    pub(crate) episodes: u64,
    /// Those of them that the share counts.
    pub(crate) hits: u64,
    /// Values that were there.
    n: u64,
    sum: CompensatedSum,
    first: f64,
    last: f64,
    least: f64,
    most: f64,
    words: BTreeSet<Vec<u8>>,
}

impl Tally {
    pub(crate) fn push(&mut self, value: f64) {
        if self.n == 0 {
            (self.first, self.least, self.most) = (value, value, value);
        }
        self.n += 1;
        self.sum.add(value);
        self.last = value;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    pub(crate) fn word(&mut self, word: &[u8]) -> bool {
        if !self.words.contains(word) {
            self.words.insert(word.to_vec());
        }
        self.words.len() <= MOST_WORDS
    }

    /// The different words, where the measure counts them.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> + '_ {
        let words = self.words.iter();
        words.map(|word| String::from_utf8_lossy(word).into_owned())
    }

    /// The answer; `None` where nothing was left to measure.
    pub(crate) fn answer(&self, kind: &MeasureKind) -> Option<f64> {
        let of_values = |value: f64| (self.n > 0).then_some(value);
        match kind {
            MeasureKind::Count => Some(self.episodes as f64),
            MeasureKind::Distinct(_) => Some(self.words.len() as f64),
            MeasureKind::Share(_) => {
                (self.episodes > 0).then(|| self.hits as f64 / self.episodes as f64)
            }
            MeasureKind::Mean(_) => of_values(self.sum.value() / self.n as f64),
            MeasureKind::Sum(_) => of_values(self.sum.value()),
            MeasureKind::First(_) => of_values(self.first),
            MeasureKind::Last(_) => of_values(self.last),
            MeasureKind::Min(_) => of_values(self.least),
            MeasureKind::Max(_) => of_values(self.most),
        }
    }
}

/// The error for too many words.
pub(crate) fn too_many(file: &str, column: &str) -> EpisodeError {
    EpisodeError::TooMany {
        file: file.to_owned(),
        column: column.to_owned(),
        most: MOST_WORDS,
    }
}
