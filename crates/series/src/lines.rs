//! Files of JSON lines, `{"step": 10, "overview/reward": 0.4}`: the points of several keys in one reading.

use crate::digest::{AT_ONCE, Digesting};
use crate::error::FileError;
use crate::points::{CurvePoints, StepRows};
use crate::row::{JsonRow, RowPlace, row};
use fairtrial_episode::open_regular;
use fairtrial_model::{Number, STEP_NAMES, StepSearch};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// A key whose points are wanted, and that of its steps where it is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WantedColumn<'a> {
    pub(crate) key: &'a str,
    pub(crate) step: Option<&'a str>,
}

/// What a file holds under the wanted keys, in their order, and which file that was.
pub(crate) struct Found {
    pub(crate) points: Vec<Result<CurvePoints, FileError>>,
    /// Its bytes and their digest.
    pub(crate) digest: (u64, String),
}

/// The history that a file holds, and its seed: what a `seed` key says first.
#[derive(Debug)]
pub struct LinesHistory {
    /// The points.
    pub points: CurvePoints,
    /// The seed.
    pub seed: Option<u64>,
}

/// Reads one key of a file that is no trial's.
pub fn lines_history(path: &Path, key: &str) -> Result<LinesHistory, FileError> {
    let wanted = [WantedColumn { key, step: None }];
    let (points, seed) = gathered(path, &wanted, &mut opened(path)?)?;
    let mut points = points.into_iter();
    let none = || Err(FileError::at(path, "nothing is asked for"));
    let points = points.next().unwrap_or_else(none)?;
    Ok(LinesHistory { points, seed })
}

/// Reads the wanted keys of a file. An error is about the file; those of a key are beside the points of the others.
pub(crate) fn read(path: &Path, wanted: &[WantedColumn<'_>]) -> Result<Found, FileError> {
    let mut file = Digesting::new(opened(path)?);
    let (points, _) = gathered(path, wanted, &mut file)?;
    Ok(Found {
        points,
        digest: file.digest(),
    })
}

fn opened(path: &Path) -> Result<std::fs::File, FileError> {
    open_regular(path).map_err(|error| FileError::at(path, error.to_string()))
}

type Gathered = (Vec<Result<CurvePoints, FileError>>, Option<u64>);

fn gathered(
    path: &Path,
    wanted: &[WantedColumn<'_>],
    file: &mut impl Read,
) -> Result<Gathered, FileError> {
    let mut keys: Vec<Key<'_>> = wanted.iter().map(Key::of).collect();
    let mut layout = LineLayout::of(&keys);
    let mut seed = None;
    each_line(file, |number, line| match row(line, layout.names.len()) {
        Some(row) => {
            layout.fit(&row, &keys);
            seed = seed.or_else(|| layout.seed(&row));
            for (place, key) in keys.iter_mut().enumerate() {
                key.take(&row, place, &mut layout);
            }
        }
        None => keys
            .iter_mut()
            .for_each(|key| key.rescue(path, number, line)),
    })
    .map_err(|error| FileError::at(path, error.to_string()))?;
    let points = keys.into_iter().map(|key| key.points(path)).collect();
    Ok((points, seed))
}

/// Calls with each line that is not empty and its number. What is no text is replaced.
fn each_line(file: &mut impl Read, mut each: impl FnMut(usize, &str)) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(AT_ONCE, file);
    let mut raw = Vec::new();
    for number in 1.. {
        raw.clear();
        if reader.read_until(b'\n', &mut raw)? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&raw);
        let line = line.strip_suffix('\n').unwrap_or(&line);
        if !line.trim().is_empty() {
            each(number, line);
        }
    }
    Ok(())
}

/// Where things stand in a line. Lines of a file are mostly alike, so that they are looked for once and not in each line.
struct LineLayout {
    names: Vec<String>,
    /// Where the wanted keys stand, and the keys of their steps.
    values: Vec<Option<usize>>,
    steps: Vec<Option<usize>>,
    seed: Option<usize>,
}

impl LineLayout {
    /// Of a line that holds nothing.
    fn of(keys: &[Key<'_>]) -> Self {
        Self {
            names: Vec::new(),
            values: vec![None; keys.len()],
            steps: vec![None; keys.len()],
            seed: None,
        }
    }

    fn fit(&mut self, row: &JsonRow<'_>, keys: &[Key<'_>]) {
        let same = |(name, known): (&(std::borrow::Cow<'_, str>, _), &String)| name.0 == *known;
        if row.len() == self.names.len() && row.iter().zip(&self.names).all(same) {
            return;
        }
        self.names = row.iter().map(|(name, _)| name.to_string()).collect();
        let places = self.names.iter().enumerate();
        let places: HashMap<&str, usize> = places.map(|(at, name)| (name.as_str(), at)).collect();
        let at = |name: &str| places.get(name).copied();
        self.values = keys.iter().map(|key| at(key.wanted.key)).collect();
        let step = |key: &Key<'_>| at(key.step.as_deref()?);
        self.steps = keys.iter().map(step).collect();
        self.seed = at("seed");
    }

    fn seed(&self, row: &JsonRow<'_>) -> Option<u64> {
        match row[self.seed?].1 {
            crate::row::JsonCell::Whole(seed) => Some(seed),
            _ => None,
        }
    }
}

/// One key while the file is read.
struct Key<'a> {
    wanted: &'a WantedColumn<'a>,
    /// As it stands in a line.
    quoted: String,
    /// The key of its steps, from the first of its points on. A curve is read over one kind of step, whichever others
    /// stand in some of its lines.
    step: Option<String>,
    rows: StepRows,
    broken: usize,
    astray: usize,
    failed: Option<FileError>,
}

impl<'a> Key<'a> {
    fn of(wanted: &'a WantedColumn<'a>) -> Self {
        Self {
            quoted: Value::from(wanted.key).to_string(),
            wanted,
            step: None,
            rows: StepRows::default(),
            broken: 0,
            astray: 0,
            failed: None,
        }
    }

    fn take(&mut self, row: &JsonRow<'_>, place: usize, layout: &mut LineLayout) {
        let value = layout.values[place].and_then(|at| row[at].1.value());
        let Some(value) = value.filter(|_| self.failed.is_none()) else {
            return;
        };
        if self.step.is_none() {
            let search = StepSearch {
                declared: self.wanted.step,
                metrics: &[self.wanted.key],
            };
            let names = layout.names.iter().map(String::as_str);
            let found = search.in_names(names).map(str::to_owned);
            let at = |name: &String| layout.names.iter().rposition(|known| known == name);
            layout.steps[place] = found.as_ref().and_then(at);
            self.step = found;
        }
        match RowPlace::of(layout.steps[place].map(|at| &row[at].1)) {
            RowPlace::At(step) => self.rows.push(Some(step), value),
            RowPlace::Final => self.rows.push(None, value),
            RowPlace::Nowhere => self.astray += 1,
        }
    }

    /// Takes a line that is no JSON. Python writes bare NaN, which JSON does not know. Whether it is this metric's decides.
    fn rescue(&mut self, path: &Path, number: usize, line: &str) {
        if !line.contains(&self.quoted) {
            self.broken += 1;
            return;
        }
        let step = self.step.as_deref().or(self.wanted.step);
        if let Some((step, value)) = rescued(line, &self.quoted, step) {
            self.rows.push(step, value);
        } else {
            let what = || FileError::at(path, format!("line {number} is not JSON"));
            self.failed.get_or_insert_with(what);
        }
    }

    fn points(self, path: &Path) -> Result<CurvePoints, FileError> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let mut points = self.rows.points();
        let Self { broken, astray, .. } = self;
        if broken > 0 {
            let note = format!(
                "{broken} lines that are not JSON and do not hold the metric were left out"
            );
            points.notes.push(note);
        }
        if astray > 0 {
            let note = format!("{astray} lines whose step is no number were left out");
            points.notes.push(note);
        }
        if points.values.is_empty() {
            let there = match numbers(path).as_slice() {
                [] => String::new(),
                names => format!("; there are {}", names.join(", ")),
            };
            let key = self.wanted.key;
            return Err(FileError::at(path, format!("no line holds `{key}`{there}")));
        }
        Ok(points)
    }
}

/// The keys that hold numbers, for whoever asked for another one.
fn numbers(path: &Path) -> Vec<String> {
    let mut names = BTreeSet::new();
    let Ok(mut file) = open_regular(path) else {
        return Vec::new();
    };
    // As far as it can be read: this is but a hint.
    let _ = each_line(&mut file, |_, line| {
        let row = row(line, 0).unwrap_or_default();
        let step = StepSearch::default().in_names(row.iter().map(|(name, _)| name.as_ref()));
        for (name, cell) in &row {
            let beside = step == Some(name.as_ref()) || name == "seed";
            if !beside && cell.value().is_some() && !names.contains(name.as_ref()) {
                names.insert(name.to_string());
            }
        }
    });
    names.into_iter().collect()
}

/// Step and value of a line with bare words like `NaN`, read by key.
fn rescued(line: &str, quoted: &str, step: Option<&str>) -> Option<(Option<f64>, f64)> {
    let after = |key: &str| {
        let rest = line.split_once(key)?.1.trim_start().strip_prefix(':')?;
        let end = rest.find([',', '}'])?;
        Number::parse(&rest[..end]).map(|number| number.0)
    };
    let names = step.as_ref().map_or(&STEP_NAMES[..], std::slice::from_ref);
    let step = names
        .iter()
        .find_map(|name| after(&Value::from(*name).to_string()));
    Some((step, after(quoted)?))
}
