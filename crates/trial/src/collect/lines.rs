//! Files of JSON lines: `{"step": 10, "reward": 0.4}` is a point of a series, a line without a step is final.

use super::collected::CollectError;
use super::reduce::{Reading, SeriesReading};
use super::tolerant;
use fairtrial_episode::open_regular;
use fairtrial_model::{LinePlace, OWN_WORD, STEP_KEYS};
use fairtrial_text::excerpt::excerpt;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// One file's readings by key.
pub(super) struct LineFile {
    file: String,
    readings: BTreeMap<String, Both>,
    facts: BTreeMap<String, String>,
    /// What stands under keys and is neither a number nor words, shortened.
    odd: BTreeMap<String, String>,
    /// Lines that are no JSON objects.
    broken: Lines,
    /// Lines whose step is no number.
    astray: Lines,
    /// What the first of those has for a step.
    strange_step: String,
}

/// So many lines, and which is the first.
#[derive(Default)]
struct Lines {
    count: u64,
    first: u64,
}

impl Lines {
    fn add(&mut self, place: u64) {
        self.count += 1;
        if self.count == 1 {
            self.first = place;
        }
    }
}

/// A key may have points and a final value; the final value is what the trial means.
#[derive(Default)]
struct Both {
    last: Option<f64>,
    series: Option<SeriesReading>,
}

/// Words that a record keeps: so many keys, so many letters each.
const MOST_FACTS: usize = 64;
const FACT_LETTERS: usize = 300;
/// Letters of why a trial ended as it did, which may be the last lines of a log.
const REASON_LETTERS: usize = 2000;
/// Letters of a value that is no number, where one is looked for.
const ODD_LETTERS: usize = 40;

/// Bytes of a line that is read; a file without line ends must not fill the memory.
const MOST_LINE: u64 = 64 << 20;

/// What stands next in a file.
enum Line {
    None,
    Whole,
    TooLong,
}

/// Reads a line; of one that is too long, the rest is passed over.
fn next_line(reader: &mut impl BufRead, raw: &mut Vec<u8>) -> io::Result<Line> {
    let read = reader.by_ref().take(MOST_LINE).read_until(b'\n', raw)?;
    if read == 0 {
        return Ok(Line::None);
    }
    if raw.ends_with(b"\n") || (read as u64) < MOST_LINE {
        return Ok(Line::Whole);
    }
    loop {
        raw.clear();
        let read = reader.by_ref().take(MOST_LINE).read_until(b'\n', raw)?;
        if read == 0 || raw.ends_with(b"\n") {
            return Ok(Line::TooLong);
        }
    }
}

impl LineFile {
    /// Reads a file; the points of the `kept` keys are held for their summaries, the others only counted.
    pub(super) fn read(dir: &Path, file: &str, kept: &[&str]) -> Result<Self, CollectError> {
        let opened =
            open_regular(&dir.join(file)).map_err(|error| CollectError::io(file, error))?;
        let mut lines = Self {
            file: file.to_owned(),
            readings: BTreeMap::new(),
            facts: BTreeMap::new(),
            odd: BTreeMap::new(),
            broken: Lines::default(),
            astray: Lines::default(),
            strange_step: String::new(),
        };
        let mut reader = BufReader::new(opened);
        let mut raw = Vec::new();
        for place in 1.. {
            raw.clear();
            let read = next_line(&mut reader, &mut raw);
            match read.map_err(|error| CollectError::io(file, error))? {
                Line::None => break,
                Line::TooLong => lines.broken.add(place),
                Line::Whole => {
                    let text = String::from_utf8_lossy(&raw);
                    // Some write it at the beginning of a file, and no parser likes it.
                    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                    lines.take_line(text, place, kept);
                }
            }
        }
        Ok(lines)
    }

    fn take_line(&mut self, line: &str, place: u64, kept: &[&str]) {
        if line.trim().is_empty() {
            return;
        }
        let Some(serde_json::Value::Object(object)) = tolerant::parse(line) else {
            self.broken.add(place);
            return;
        };
        let at = LinePlace::of(&object);
        if let LinePlace::Nowhere(step) = at {
            self.take_astray(place, step);
        }
        for (key, value) in &object {
            if STEP_KEYS.contains(&key.as_str()) {
                continue;
            }
            match (tolerant::number(value), value) {
                (Some(value), _) => self.take_value(key, at, value, kept),
                (None, serde_json::Value::String(words)) => self.take_words(key, words),
                (None, other) => self.take_odd(key, other),
            }
        }
    }

    /// Remembers a line whose values stand nowhere.
    fn take_astray(&mut self, place: u64, step: &serde_json::Value) {
        self.astray.add(place);
        if self.astray.count == 1 {
            self.strange_step = excerpt(&step.to_string(), ODD_LETTERS);
        }
    }

    /// The last words under a key; a trial that writes a novel has it cut, one that writes many has the first ones kept.
    fn take_words(&mut self, key: &str, words: &str) {
        if self.facts.len() < MOST_FACTS || self.facts.contains_key(key) {
            let most = if key.starts_with(OWN_WORD) {
                REASON_LETTERS
            } else {
                FACT_LETTERS
            };
            let words: String = words.chars().take(most).collect();
            self.facts.insert(key.to_owned(), words);
        }
    }

    /// Remembers what stands under a key and is no number, for whoever looks for one.
    fn take_odd(&mut self, key: &str, value: &serde_json::Value) {
        if self.odd.len() < MOST_FACTS && !self.odd.contains_key(key) {
            self.odd
                .insert(key.to_owned(), excerpt(&value.to_string(), ODD_LETTERS));
        }
    }

    /// Why there is no number under a key.
    pub(super) fn why_without(&self, key: &str) -> String {
        let Self { file, .. } = self;
        let odd = self.odd.get(key).map(|odd| format!("`{odd}`"));
        let words = self
            .facts
            .get(key)
            .map(|words| format!("the words `{words}`"));
        match odd.or(words) {
            Some(other) => format!("`{key}` in {file} is no number but {other}"),
            None if self.broken.count > 0 => format!(
                "no `{key}` in {file}, of which line {} cannot be read as JSON",
                self.broken.first
            ),
            None if self.astray.count > 0 => format!(
                "no `{key}` in {file}, of which line {} has the step `{}`, which is no number",
                self.astray.first, self.strange_step
            ),
            None => format!("no `{key}` in {file}"),
        }
    }

    /// What the lines say in words, taken out.
    pub(super) fn take_facts(&mut self) -> BTreeMap<String, String> {
        std::mem::take(&mut self.facts)
    }

    fn take_value(&mut self, key: &str, at: LinePlace<'_>, value: f64, kept: &[&str]) {
        if !self.readings.contains_key(key) {
            self.readings.insert(key.to_owned(), Both::default());
        }
        let Some(both) = self.readings.get_mut(key) else {
            return;
        };
        match at {
            LinePlace::Nowhere(_) => {}
            LinePlace::Final => both.last = Some(value),
            LinePlace::At(step) => {
                let file = &self.file;
                let new = || SeriesReading::new(file.clone(), kept.contains(&key));
                both.series.get_or_insert_with(new).push(step, value);
            }
        }
    }

    /// What stands under a key, taken out.
    pub(super) fn take(&mut self, key: &str) -> Option<Reading> {
        self.readings.remove(key).and_then(Both::reading)
    }

    /// Everything that was not taken.
    pub(super) fn into_rest(self) -> impl Iterator<Item = (String, Reading)> {
        self.readings
            .into_iter()
            .filter_map(|(key, both)| both.reading().map(|reading| (key, reading)))
    }

    /// Notes on lines that were left out.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let Self { file, broken, .. } = self;
        let broken = (broken.count > 0).then(|| {
            let Lines { count, first } = broken;
            format!("{file}: {count} lines are not JSON objects and were left out (the first is line {first})")
        });
        let astray = (self.astray.count > 0).then(|| {
            let (Lines { count, first }, step) = (&self.astray, &self.strange_step);
            format!("{file}: values of {count} lines whose step is no number were left out (the first is line {first}, with `{step}`)")
        });
        [broken, astray].into_iter().flatten()
    }
}

impl Both {
    fn reading(self) -> Option<Reading> {
        match (self.last, self.series) {
            (Some(value), None) => Some(Reading::Scalar(value)),
            (last, Some(series)) => Some(Reading::Series { series, last }),
            (None, None) => None,
        }
    }
}
