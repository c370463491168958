//! Values from files that a trial leaves: CSV columns, JSON values, sizes.

use super::collected::CollectError;
use super::reduce::{Reading, SeriesReading, Steps};
use super::tolerant;
use fairtrial_episode::{open_regular, read_own};
use fairtrial_model::{Number, StepSearch};
use fairtrial_text::count::first_of;
use std::fs;
use std::io::Read;
use std::path::Path;

/// Bytes of a JSON file that is read as a whole.
const MOST_JSON: u64 = 256 << 20;
/// Bytes of a log. The launcher keeps logs within their limit; what else stands in their place may be of any size.
const MOST_LOG: u64 = 1 << 30;

/// A column of a CSV file and how its steps are found.
#[derive(Clone, Copy)]
pub(super) struct CsvColumn<'a> {
    pub(super) file: &'a str,
    pub(super) column: &'a str,
    pub(super) search: StepSearch<'a>,
}

/// A column of a CSV file with a header: one row is a value, several are a series over the column that holds the steps.
pub(super) fn csv_column(dir: &Path, wanted: CsvColumn<'_>) -> Result<Reading, CollectError> {
    let CsvColumn {
        file,
        column,
        search,
    } = wanted;
    let opened = open_regular(&dir.join(file)).map_err(|error| CollectError::io(file, error))?;
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        // Trimming whole rows allocates each of them again: of 100,000 rows only the cells that are read are trimmed.
        .trim(csv::Trim::Headers)
        .from_reader(opened);
    let bad = |error: csv::Error| match error.kind() {
        csv::ErrorKind::Io(source) => CollectError::again(file, source),
        _ => CollectError::NoValue(format!("{file} is not a CSV table: {error}")),
    };
    let headers = reader.headers().map_err(bad)?.clone();
    let place_of = |name: &str| headers.iter().position(|header| header == name);
    let place = place_of(column)
        .ok_or_else(|| CollectError::NoValue(format!("no column `{column}` in {file}")))?;
    let step_name = search.among(headers.iter().filter(|name| *name != column));
    let step_place = step_name.and_then(place_of);
    let steps = match step_name {
        Some(name) => Steps::Named(name.to_owned()),
        None => Steps::Numbered(format!("its columns are {}", first_of(headers.iter(), 20))),
    };
    let mut series = SeriesReading::new(file, steps, true);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(bad)? {
        let cell = |place: usize| {
            record
                .get(place)
                .and_then(|cell| Number::parse(cell.trim()))
                .map(|number| number.0)
        };
        // A row of another metric's is no point of this one.
        let Some(value) = cell(place) else { continue };
        match step_place {
            None => series.push_next(value),
            Some(step) => match cell(step) {
                Some(step) => series.push(step, value),
                None => series.without_step += 1,
            },
        }
    }
    match series.single() {
        Some(value) if step_place.is_none() => Ok(Reading::Scalar(value)),
        _ if series.is_empty() => Err(CollectError::NoValue(format!(
            "no number in column `{column}` of {file}{}",
            if series.without_step > 0 {
                " that has a step"
            } else {
                ""
            }
        ))),
        _ => Ok(Reading::Series { series, last: None }),
    }
}

/// A number in a JSON file, by pointer (`/scores/0`) or top-level key.
pub(super) fn json_value(dir: &Path, file: &str, pointer: &str) -> Result<Reading, CollectError> {
    let opened = open_regular(&dir.join(file)).map_err(|error| CollectError::io(file, error))?;
    let mut text = String::new();
    let mut part = opened.take(MOST_JSON);
    part.read_to_string(&mut text)
        .map_err(|error| CollectError::io(file, error))?;
    if part.limit() == 0 {
        let most = MOST_JSON >> 20;
        let why = format!("{file} is larger than {most} MiB");
        return Err(CollectError::NoValue(why));
    }
    let value = tolerant::parse(&text)
        .ok_or_else(|| CollectError::NoValue(format!("{file} is not JSON")))?;
    let found = if pointer.is_empty() || pointer.starts_with('/') {
        value.pointer(pointer)
    } else {
        value.get(pointer)
    };
    let number = found.and_then(tolerant::number);
    number
        .map(Reading::Scalar)
        .ok_or_else(|| CollectError::NoValue(format!("no number at `{pointer}` in {file}")))
}

/// A log of the trial, which its program may have replaced.
pub(super) fn read_log(dir: &Path, log: &str) -> Result<Vec<u8>, CollectError> {
    read_own(&dir.join(log), MOST_LOG).map_err(|error| CollectError::io(log, error))
}

/// Size of a file, or of all files in a folder, in bytes.
pub(super) fn size(dir: &Path, file: &str) -> Result<Reading, CollectError> {
    let mut total = 0;
    let mut left = vec![dir.join(file)];
    while let Some(path) = left.pop() {
        let seen = fs::symlink_metadata(&path).map_err(|error| CollectError::io(file, error))?;
        if seen.is_dir() {
            let entries = fs::read_dir(&path).map_err(|error| CollectError::io(file, error))?;
            left.extend(entries.flatten().map(|entry| entry.path()));
        } else {
            total += seen.len();
        }
    }
    Ok(Reading::Scalar(total as f64))
}
