//! What a trial reported: one number per metric, and where its series lie.
//!
//! Declared metrics are looked for where the spec says; whatever else stands in the reported lines is taken too.
//! Nothing here fails a whole trial by itself: what cannot be read becomes a note, and a required metric without a
//! value, or one whose file is damaged, is listed as missing.

mod block;
mod collected;
mod episodes;
mod files;
mod lines;
mod logs;
pub(crate) mod parts;
mod reduce;
mod tolerant;
mod tracked;

pub use collected::{CollectError, Collected};
use fairtrial_model::{
    HardwareCounter, MemorySource, MetricDeclaration, MetricSource, Number, Resources, StepSearch,
};
use files::CsvColumn;
use lines::{LineFile, WantedKey};
use reduce::{Reading, Reduced};
use std::collections::HashMap;
use std::path::Path;

/// The file that `FAIRTRIAL_METRICS` names, in the trial's directory.
pub(crate) const REPORTED_FILE: &str = "metrics.jsonl";

/// Collects the metrics of a trial that has ended.
pub fn collect(dir: &Path, declared: &[MetricDeclaration], resources: &Resources) -> Collected {
    let mut found = Collected::default();
    let mut line_files = read_line_files(dir, declared, &mut found.notes);
    for metric in declared {
        let reading = read_one(dir, metric, declared, resources, &line_files);
        let Some(reading) = reading.transpose() else {
            continue;
        };
        match reading.and_then(|reading| reading.reduce(metric)) {
            Ok(Reduced {
                value,
                series,
                notes,
            }) => {
                found.notes.extend(notes);
                let kept = Number(metric.kept(value));
                found.metrics.insert(metric.name.clone(), kept);
                found
                    .series
                    .extend(series.map(|series| (metric.name.clone(), series)));
            }
            Err(error) => found.without_value(metric, &error),
        }
    }
    episodes::collect(dir, declared, &mut found);
    match line_files.remove(REPORTED_FILE) {
        Some(Ok(reported)) => take_undeclared(reported, declared, &mut found),
        Some(Err(error)) => found.blame(&error),
        None => {}
    }
    found
}

type LineFiles = HashMap<String, Result<LineFile, CollectError>>;

/// Reads each file of JSON lines once, however many metrics come from it.
fn read_line_files(
    dir: &Path,
    declared: &[MetricDeclaration],
    notes: &mut Vec<String>,
) -> LineFiles {
    let mut wanted: HashMap<&str, Vec<WantedKey<'_>>> =
        HashMap::from([(REPORTED_FILE, Vec::new())]);
    for metric in declared {
        let (file, key) = match &metric.source {
            MetricSource::Reported => (REPORTED_FILE, &metric.name),
            MetricSource::Jsonl { file, key } => (file.as_str(), key),
            _ => continue,
        };
        let step = metric.step.as_deref();
        wanted
            .entry(file)
            .or_default()
            .push(WantedKey { key, step });
    }
    let read = |(file, keys): (&str, Vec<WantedKey<'_>>)| {
        (file.to_owned(), LineFile::read(dir, file, &keys))
    };
    let files: LineFiles = wanted.into_iter().map(read).collect();
    for file in files.values().flatten() {
        notes.extend(file.notes());
    }
    files
}

/// The columns of a CSV file that are metrics, and so no steps.
fn columns_of<'a>(declared: &'a [MetricDeclaration], file: &str) -> Vec<&'a str> {
    let column = |metric: &'a MetricDeclaration| match &metric.source {
        MetricSource::Csv { file: of, column } if of == file => Some(column.as_str()),
        _ => None,
    };
    declared.iter().filter_map(column).collect()
}

/// What stands under a metric's name; nothing for those that are measured over episodes, all together.
fn read_one(
    dir: &Path,
    metric: &MetricDeclaration,
    declared: &[MetricDeclaration],
    resources: &Resources,
    line_files: &LineFiles,
) -> Result<Option<Reading>, CollectError> {
    let reading = match &metric.source {
        MetricSource::Reported => from_lines(line_files, REPORTED_FILE, &metric.name),
        MetricSource::Jsonl { file, key } => from_lines(line_files, file, key),
        MetricSource::Csv { file, column } => {
            let search = StepSearch {
                declared: metric.step.as_deref(),
                metrics: &columns_of(declared, file),
            };
            files::csv_column(
                dir,
                CsvColumn {
                    file,
                    column,
                    search,
                },
            )
        }
        MetricSource::Json { file, pointer } => files::json_value(dir, file, pointer),
        MetricSource::Size { file } => files::size(dir, file),
        MetricSource::Stdout { pattern } => logs::last_match(dir, "logs/stdout.log", pattern),
        MetricSource::Stderr { pattern } => logs::last_match(dir, "logs/stderr.log", pattern),
        MetricSource::Block { marker, column } => {
            block::value(dir, "logs/stdout.log", marker, column)
        }
        MetricSource::Episodes { .. } => return Ok(None),
        MetricSource::Resource { field, less } => resource(resources, field, *less),
        MetricSource::Tracked {
            tracker,
            folder,
            key,
        } => tracked::series(dir, (*tracker, folder), key),
    };
    reading.map(Some)
}

fn from_lines(line_files: &LineFiles, file: &str, key: &str) -> Result<Reading, CollectError> {
    match line_files.get(file) {
        Some(Ok(lines)) => lines
            .reading(key)
            .ok_or_else(|| CollectError::NoValue(lines.why_without(key))),
        Some(Err(CollectError::Io { source, .. })) => Err(CollectError::again(file, source)),
        _ => Err(CollectError::NoFile(file.to_owned())),
    }
}

/// Whether a metric is surely read from elsewhere than a trial's logs.
pub(crate) fn is_apart_from_logs(metric: &MetricDeclaration) -> bool {
    matches!(
        metric.source,
        MetricSource::Reported | MetricSource::Resource { .. }
    )
}

/// Whether a metric is the peak of memory.
pub(crate) fn is_peak_memory(metric: &MetricDeclaration) -> bool {
    matches!(&metric.source, MetricSource::Resource { field, .. } if field == "peak_memory")
}

/// What the processor counts for these metrics.
pub(crate) fn counters(metrics: &[MetricDeclaration]) -> Vec<HardwareCounter> {
    let of = |metric: &MetricDeclaration| match &metric.source {
        MetricSource::Resource { field, .. } => HardwareCounter::named(field),
        _ => None,
    };
    metrics.iter().filter_map(of).collect()
}

/// Whether all that is known of the peak is that it is not above the launcher's own.
pub(crate) fn is_bound(resources: &Resources) -> bool {
    resources.peak_memory_source == Some(MemorySource::RusageFloor)
}

/// What is above a part that is not the program's own. A program cannot take less than no time: one that is faster than
/// the shell around it counts as 0.
pub(crate) fn above(value: f64, less: f64) -> f64 {
    if less > 0.0 {
        (value - less).max(0.0)
    } else {
        value
    }
}

fn resource(resources: &Resources, field: &str, less: f64) -> Result<Reading, CollectError> {
    resources
        .field(field)
        .map(|value| Reading::Scalar(above(value, less)))
        .ok_or_else(|| CollectError::NoValue(format!("resource `{field}` is unknown here")))
}

/// Everything else in the reported lines: scalars as they are, series by their last value.
fn take_undeclared(mut reported: LineFile, declared: &[MetricDeclaration], found: &mut Collected) {
    found.facts = reported.take_facts();
    for (name, reading) in reported.into_rest() {
        if declared.iter().any(|metric| metric.name == name) {
            continue;
        }
        let (value, series) = reading.last();
        found
            .series
            .extend(series.map(|series| (name.clone(), series)));
        found.metrics.insert(name, Number(value));
    }
}

#[cfg(test)]
mod tests;
