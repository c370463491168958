//! Metrics over the episodes of a file: the reading is `fairtrial-episode`'s, what is missing is judged here.

use super::collected::{CollectError, Collected};
use fairtrial_episode::{EpisodeError, Measured, locate, measure_all};
use fairtrial_model::{MetricDeclaration, Number};
use fairtrial_text::count::first_of;
use std::path::Path;

/// Words that a note names at most.
const MOST_NAMED: usize = 20;

/// Takes in every metric that comes from an episode file.
pub(super) fn collect(dir: &Path, declared: &[MetricDeclaration], found: &mut Collected) {
    for Measured {
        declared: place,
        name,
        value,
        words,
    } in measure_all(declared, |file| locate(dir, &file.file))
    {
        match value {
            Ok(value) => {
                if !words.is_empty() {
                    let words = first_of(words, MOST_NAMED);
                    found.notes.push(format!("metric `{name}`: {words}"));
                }
                found.metrics.insert(name, Number(value));
            }
            Err(error) => found.without_value(&declared[place], &error.into()),
        }
    }
}

impl From<EpisodeError> for CollectError {
    fn from(error: EpisodeError) -> Self {
        match error {
            EpisodeError::NoFile(file) => Self::NoFile(file),
            EpisodeError::Io {
                file, os: Some(os), ..
            } => Self::Io {
                file,
                source: std::io::Error::from_raw_os_error(os),
            },
            error @ EpisodeError::Damaged { .. } => Self::Damaged(error.to_string()),
            error => Self::NoValue(error.to_string()),
        }
    }
}
