//! Files of JSON lines: `{"step": 10, "reward": 0.4}` is a point of a series, a line without a step is final.

use super::collected::CollectError;
use super::reduce::{Reading, SeriesReading, Steps};
use super::tolerant;
use fairtrial_episode::open_regular;
use fairtrial_model::{LinePlace, OWN_WORD, StepSearch, is_plain_step};
use fairtrial_text::excerpt::excerpt;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// One file's readings by key.
pub(super) struct LineFile {
    file: String,
    /// The keys that declared metrics are made from.
    wanted: Vec<String>,
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

/// A key whose points are held for a summary, and the key of its steps where that is declared.
#[derive(Debug, Clone, Copy)]
pub(super) struct WantedKey<'a> {
    pub(super) key: &'a str,
    pub(super) step: Option<&'a str>,
}

/// What is looked for in a file.
struct Wanted<'a> {
    keys: &'a [WantedKey<'a>],
    /// The same keys: they are metrics, and so no steps.
    metrics: Vec<&'a str>,
}

impl Wanted<'_> {
    fn key(&self, key: &str) -> Option<&WantedKey<'_>> {
        self.keys.iter().find(|wanted| wanted.key == key)
    }

    /// Whether a key holds steps wherever it stands.
    fn is_step(&self, key: &str) -> bool {
        is_plain_step(key) || self.keys.iter().any(|wanted| wanted.step == Some(key))
    }
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
#[derive(Clone, Default)]
struct Both {
    /// Values without a step, in their order.
    finals: Option<SeriesReading>,
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
    /// Reads a file; the points of the wanted keys are held for their summaries, the others only counted.
    pub(super) fn read(
        dir: &Path,
        file: &str,
        keys: &[WantedKey<'_>],
    ) -> Result<Self, CollectError> {
        let wanted = Wanted {
            keys,
            metrics: keys.iter().map(|wanted| wanted.key).collect(),
        };
        let opened =
            open_regular(&dir.join(file)).map_err(|error| CollectError::io(file, error))?;
        let mut lines = Self {
            file: file.to_owned(),
            wanted: keys.iter().map(|wanted| wanted.key.to_owned()).collect(),
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
                    lines.take_line(text, place, &wanted);
                }
            }
        }
        Ok(lines)
    }

    fn take_line(&mut self, line: &str, place: u64, wanted: &Wanted<'_>) {
        if line.trim().is_empty() {
            return;
        }
        let Some(serde_json::Value::Object(object)) = tolerant::parse(line) else {
            self.broken.add(place);
            return;
        };
        let search = StepSearch {
            declared: None,
            metrics: &wanted.metrics,
        };
        let step_name = search.in_line(&object);
        if let LinePlace::Nowhere(step) = LinePlace::of(&object, step_name) {
            self.take_astray(place, step);
        }
        for (key, value) in &object {
            if step_name == Some(key.as_str()) || wanted.is_step(key) {
                continue;
            }
            match (tolerant::number(value), value) {
                (Some(value), _) => self.take_value(
                    key,
                    value,
                    Row {
                        line: &object,
                        step_name,
                        wanted: wanted.key(key),
                    },
                ),
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

    /// A series is read over one kind of step, whichever others stand in some of its lines: the declared one, else that of
    /// its first point.
    fn take_value(&mut self, key: &str, value: f64, row: Row<'_>) {
        if !self.readings.contains_key(key) {
            self.readings.insert(key.to_owned(), Both::default());
        }
        let Some(both) = self.readings.get_mut(key) else {
            return;
        };
        let declared = row.wanted.and_then(|wanted| wanted.step);
        let before = both.series.as_ref().and_then(SeriesReading::step_name);
        let at = LinePlace::of(row.line, declared.or(before).or(row.step_name));
        let name = declared.or(row.step_name).unwrap_or_default();
        let keep = row.wanted.is_some();
        let file = &self.file;
        let series = |steps| move || SeriesReading::new(file, steps, keep);
        match at {
            LinePlace::Nowhere(_) => {}
            LinePlace::Final => {
                let numbered = Steps::Numbered("its lines have no key for them".to_owned());
                both.finals
                    .get_or_insert_with(series(numbered))
                    .push_next(value);
            }
            LinePlace::At(step) => {
                let named = Steps::Named(name.to_owned());
                both.series
                    .get_or_insert_with(series(named))
                    .push(step, value);
            }
        }
    }

    /// What stands under a key; several metrics may be made from it.
    pub(super) fn reading(&self, key: &str) -> Option<Reading> {
        self.readings.get(key).cloned().and_then(Both::reading)
    }

    /// Everything that no declared metric was made from.
    pub(super) fn into_rest(self) -> impl Iterator<Item = (String, Reading)> {
        let Self {
            readings, wanted, ..
        } = self;
        let rest = readings
            .into_iter()
            .filter(move |(key, _)| !wanted.contains(key));
        rest.filter_map(|(key, both)| both.reading().map(|reading| (key, reading)))
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

/// What a value stands in.
#[derive(Clone, Copy)]
struct Row<'a> {
    line: &'a serde_json::Map<String, serde_json::Value>,
    /// The key that holds the step of the line.
    step_name: Option<&'a str>,
    /// What is said of the value's own key, where it is wanted.
    wanted: Option<&'a WantedKey<'a>>,
}

impl Both {
    fn reading(self) -> Option<Reading> {
        match (self.finals, self.series) {
            (Some(finals), None) => Some(match finals.single() {
                Some(value) => Reading::Scalar(value),
                None => Reading::Rows(finals),
            }),
            (finals, Some(series)) => Some(Reading::Series {
                series,
                last: finals.map(|finals| finals.last()),
            }),
            (None, None) => None,
        }
    }
}
