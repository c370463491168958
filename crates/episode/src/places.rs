//! One number per episode, so that two runs are compared episode by episode.

use crate::error::{Checked, EpisodeError};
use crate::measure::Counter;
use crate::read::{Episodes, Source};
use crate::value::Slot;
use fairtrial_model::{EpisodeFile, Measure};
use std::collections::HashMap;
use std::io::Read;

/// The numbers behind a share or a mean.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PerEpisode {
    /// One per episode that counts and has a value, in the file's order.
    pub numbers: Vec<EpisodeNumber>,
    /// How many episodes the file has.
    pub episodes: u64,
}

/// An episode's own number.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeNumber {
    /// What tells which episode it is: the words of the identity columns, and which of the episodes with the same words
    /// it is; the place in the file where no identity is declared.
    pub identity: String,
    /// The number.
    pub value: f64,
}

/// Reads the number of every episode that a measure counts.
pub fn per_episode<R: Read>(
    file: &EpisodeFile,
    reader: R,
    measure: &Measure,
) -> Result<PerEpisode, EpisodeError> {
    let mut episodes = Episodes::open(file, reader)?;
    let counter = Counter::new(measure, &mut episodes)?;
    let identity: Vec<Source> = file
        .identity
        .iter()
        .map(|column| episodes.ask(column))
        .collect::<Result<_, _>>()?;
    episodes.ready();
    let mut found = PerEpisode::default();
    let mut seen: HashMap<String, u32> = HashMap::new();
    while episodes.advance()? {
        let name = identity_of(&identity, &episodes, &mut seen).map_err(|error| *error)?;
        if !counter.counts(&episodes).map_err(|error| *error)? {
            continue;
        }
        if let Some(value) = counter.number(&episodes).map_err(|error| *error)? {
            found.numbers.push(EpisodeNumber {
                identity: name,
                value,
            });
        }
    }
    found.episodes = episodes.count();
    Ok(found)
}

fn identity_of<R: Read>(
    columns: &[Source],
    episodes: &Episodes<'_, R>,
    seen: &mut HashMap<String, u32>,
) -> Checked<String> {
    if columns.is_empty() {
        return Ok(episodes.place().to_string());
    }
    let mut name = String::new();
    for column in columns {
        if let Slot::Word(word) = episodes.slot(*column)? {
            name.push_str(&String::from_utf8_lossy(word));
        }
        name.push('\u{1f}');
    }
    let again = seen.entry(name.clone()).or_insert(0);
    *again += 1;
    Ok(format!("{name}{again}"))
}
