//! Which trials a number came from, small enough to stand beside every number.

use serde::{Serialize, Serializer};
use std::fmt;

/// Trials of one run by their index, ascending. Written in the episode grammar of `--only` (`0,3,5:8`, ends
/// exclusive), so that what a report shows can be run again as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrialSet(Vec<u64>);

impl TrialSet {
    /// How many trials.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<u64> for TrialSet {
    fn from_iter<I: IntoIterator<Item = u64>>(indices: I) -> Self {
        let mut indices: Vec<u64> = indices.into_iter().collect();
        indices.sort_unstable();
        indices.dedup();
        Self(indices)
    }
}

impl fmt::Display for TrialSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let neighbours = self.0.chunk_by(|a, b| a + 1 == *b);
        for (place, stretch) in neighbours.enumerate() {
            if place > 0 {
                f.write_str(",")?;
            }
            match stretch {
                [first, .., last] => write!(f, "{first}:{}", last + 1)?,
                [only] => write!(f, "{only}")?,
                [] => {}
            }
        }
        Ok(())
    }
}

impl Serialize for TrialSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::TrialSet;

    #[test]
    fn stretches_are_written_as_half_open_ranges() {
        let set: TrialSet = [7, 5, 6, 0, 3, 3].into_iter().collect();
        assert_eq!(set.to_string(), "0,3,5:8");
        assert_eq!(set.len(), 5);
        assert_eq!(TrialSet::default().to_string(), "");
    }
}
