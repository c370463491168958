//! A block of statistics on standard output: a marker line, a line of CSV titles, a line of values.

use super::collected::CollectError;
use super::files::read_log;
use super::reduce::Reading;
use fairtrial_model::Number;
use std::path::Path;

/// The number under a title in the last block that `marker` begins.
pub(super) fn value(
    dir: &Path,
    log: &str,
    marker: &str,
    column: &str,
) -> Result<Reading, CollectError> {
    let text = read_log(dir, log)?;
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let none = |what: String| CollectError::NoValue(what);
    let at = lines
        .iter()
        .rposition(|line| line.trim() == marker)
        .ok_or_else(|| none(format!("no line `{marker}` in {log}")))?;
    let [titles, values] = [1, 2].map(|below| lines.get(at + below).copied().unwrap_or_default());
    let place = cells(titles)
        .iter()
        .position(|title| title == column)
        .ok_or_else(|| none(format!("no `{column}` under `{marker}` in {log}")))?;
    let values = cells(values);
    let cell = values.get(place).map_or("", String::as_str);
    Number::parse(cell)
        .map(|number| Reading::Scalar(number.0))
        .ok_or_else(|| {
            none(format!(
                "`{cell}` for `{column}` under `{marker}` in {log} is not a number"
            ))
        })
}

fn cells(line: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(line.as_bytes());
    let first = reader.records().next().and_then(Result::ok);
    let record = first.unwrap_or_default();
    record.iter().map(str::to_owned).collect()
}
