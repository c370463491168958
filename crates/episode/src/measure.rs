//! Many measures over one file, in one pass.

use crate::condition::{self, Ready};
use crate::error::{Checked, EpisodeError};
use crate::read::{Episodes, Source};
use crate::tally::{MOST_WORDS, Tally, too_many};
use crate::value::Slot;
use fairtrial_model::{EpisodeFile, Measure, MeasureKind};
use fairtrial_spec::EpisodeSet;
use std::collections::BTreeMap;
use std::io::Read;

/// What a measure found.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// One number.
    One {
        /// The number.
        value: f64,
        /// The different words, where these were counted.
        words: Vec<String>,
    },
    /// One number per word of the column that the measure is split by.
    Per(Vec<(String, f64)>),
}

/// Reads `reader` once and answers every measure; one that cannot be answered says why and leaves the others alone.
pub fn measure<R: Read>(
    file: &EpisodeFile,
    reader: R,
    measures: &[&Measure],
) -> Result<Vec<Result<Answer, EpisodeError>>, EpisodeError> {
    let mut episodes = Episodes::open(file, reader)?;
    let mut counters: Vec<Result<Counter<'_>, EpisodeError>> = measures
        .iter()
        .map(|measure| Counter::new(measure, &mut episodes))
        .collect();
    episodes.ready();
    while episodes.advance()? {
        for counter in &mut counters {
            if let Ok(running) = counter
                && let Err(error) = running.take(&episodes)
            {
                *counter = Err(*error);
            }
        }
    }
    Ok(counters
        .into_iter()
        .map(|counter| counter.and_then(|counter| counter.answer(&episodes)))
        .collect())
}

/// A measure at work.
pub(crate) struct Counter<'a> {
    measure: &'a Measure,
    select: Option<EpisodeSet>,
    filter: Vec<Ready<'a>>,
    share: Vec<Ready<'a>>,
    of: Option<(Source, &'a str)>,
    per: Option<(Source, &'a str)>,
    /// A share of all episodes by their place in one order: read off at the end. Most metrics of an experiment are such
    /// shares of its verdict.
    at_end: Option<(Source, u64)>,
    whole: Tally,
    parts: BTreeMap<Vec<u8>, Tally>,
}

impl<'a> Counter<'a> {
    pub(crate) fn new<R: Read>(
        measure: &'a Measure,
        episodes: &mut Episodes<'_, R>,
    ) -> Result<Self, EpisodeError> {
        let (share, of) = match &measure.kind {
            MeasureKind::Count => (&[][..], None),
            MeasureKind::Share(conditions) => (&conditions[..], None),
            MeasureKind::Mean(of)
            | MeasureKind::Sum(of)
            | MeasureKind::First(of)
            | MeasureKind::Last(of)
            | MeasureKind::Min(of)
            | MeasureKind::Max(of)
            | MeasureKind::Distinct(of) => (&[][..], Some(of.as_str())),
        };
        let mut named = |name: &'a str| Ok((episodes.ask(name)?, name));
        let of = of.map(&mut named).transpose()?;
        let per = measure.per.as_deref().map(named).transpose()?;
        let filter = condition::ready(&measure.filter, episodes)?;
        let share = condition::ready(share, episodes)?;
        let plain = filter.is_empty() && measure.select.is_none() && per.is_none();
        Ok(Self {
            at_end: condition::only_rank(&share).filter(|_| plain),
            measure,
            select: measure.select.as_ref().and_then(|text| {
                // The grammar was checked with the spec; whether it fits is known at the end.
                EpisodeSet::parse(text, u64::MAX).ok()
            }),
            filter,
            share,
            of,
            per,
            whole: Tally::default(),
            parts: BTreeMap::new(),
        })
    }

    /// Whether the current episode counts.
    pub(crate) fn counts<R: Read>(&self, episodes: &Episodes<'_, R>) -> Checked<bool> {
        let selected = self
            .select
            .as_ref()
            .is_none_or(|set| set.contains(episodes.place()));
        Ok(selected && condition::all_hold(&self.filter, episodes)?)
    }

    /// The current episode's own number: 0 or 1 of a share, the value of a mean or sum.
    pub(crate) fn number<R: Read>(&self, episodes: &Episodes<'_, R>) -> Checked<Option<f64>> {
        match self.of {
            None => {
                let hit = condition::all_hold(&self.share, episodes)?;
                Ok(Some(f64::from(u8::from(hit))))
            }
            Some((source, name)) => episodes.number(source, name),
        }
    }

    fn take<R: Read>(&mut self, episodes: &Episodes<'_, R>) -> Checked<()> {
        if self.at_end.is_some() {
            return Ok(());
        }
        if !self.counts(episodes)? {
            return Ok(());
        }
        let what = What {
            kind: &self.measure.kind,
            share: &self.share,
            of: self.of,
        };
        let Some((per, column)) = self.per else {
            return what.take_into(&mut self.whole, episodes);
        };
        let Slot::Word(word) = episodes.slot(per)? else {
            return Ok(());
        };
        if !self.parts.contains_key(word) {
            if self.parts.len() >= MOST_WORDS {
                return Err(Box::new(too_many(episodes.file(), column)));
            }
            self.parts.insert(word.to_vec(), Tally::default());
        }
        match self.parts.get_mut(word) {
            Some(part) => what.take_into(part, episodes),
            None => Ok(()),
        }
    }

    fn answer<R: Read>(mut self, episodes: &Episodes<'_, R>) -> Result<Answer, EpisodeError> {
        let (file, total) = (episodes.file(), episodes.count());
        if let Some((source, passing)) = self.at_end {
            let ranked = episodes.ranked(source)?.iter().enumerate();
            let passed = ranked.filter(|(rank, _)| passing >> rank & 1 == 1);
            self.whole.hits = passed.map(|(_, count)| count).sum();
            self.whole.episodes = total;
        }
        if let Some(text) = &self.measure.select {
            EpisodeSet::parse(text, total).map_err(|error| EpisodeError::Selection {
                file: file.to_owned(),
                total,
                message: error.to_string(),
            })?;
        }
        let of = |tally: &Tally| {
            let answer = tally.answer(&self.measure.kind);
            answer
                .or(self.measure.empty.map(|number| number.0))
                .ok_or_else(|| EpisodeError::NoEpisode {
                    file: file.to_owned(),
                })
        };
        if self.per.is_none() {
            return Ok(Answer::One {
                value: of(&self.whole)?,
                words: self.whole.words().collect(),
            });
        }
        let part = |(word, tally): (&Vec<u8>, &Tally)| {
            Ok((String::from_utf8_lossy(word).into_owned(), of(tally)?))
        };
        let parts: Result<Vec<_>, EpisodeError> = self.parts.iter().map(part).collect();
        Ok(Answer::Per(parts?))
    }
}

/// What a measure takes from an episode.
struct What<'m, 'a> {
    kind: &'a MeasureKind,
    share: &'m [Ready<'a>],
    of: Option<(Source, &'a str)>,
}

impl What<'_, '_> {
    fn take_into<R: Read>(&self, tally: &mut Tally, episodes: &Episodes<'_, R>) -> Checked<()> {
        tally.episodes += 1;
        match (self.kind, self.of) {
            (MeasureKind::Share(_), _) => {
                tally.hits += u64::from(condition::all_hold(self.share, episodes)?);
            }
            (MeasureKind::Distinct(_), Some((source, name))) => {
                if let Slot::Word(word) = episodes.slot(source)?
                    && !tally.word(word)
                {
                    return Err(Box::new(too_many(episodes.file(), name)));
                }
            }
            (_, Some((source, name))) => {
                if let Some(value) = episodes.number(source, name)? {
                    tally.push(value);
                }
            }
            (_, None) => {}
        }
        Ok(())
    }
}
