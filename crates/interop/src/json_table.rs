//! Objects in lines as a table: what `export --to jsonl`, pandas and most loggers write.

use crate::error::{FilePlace, InteropError};
use crate::input::Input;
use crate::json;
use fairtrial_model::Params;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader};

/// Reads lines of flat objects into CSV text; every key is a column.
pub fn read_json_lines(input: Input<'_>) -> Result<String, InteropError> {
    let name = input.name();
    let path = input.path().to_owned();
    let mut rows: Vec<Map<String, Value>> = Vec::new();
    for (number, line) in BufReader::new(input.reader()?).split(b'\n').enumerate() {
        let line = line.map_err(InteropError::io(&path))?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let place = || FilePlace::of(&name).line(number as u64 + 1);
        let row: Map<String, Value> = json::parse(&name, &line)
            .map_err(|error| InteropError::content(place(), error.to_string()))?;
        rows.push(row);
    }
    let mut titles: Vec<&String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for key in rows.iter().flat_map(Map::keys) {
        if known.insert(key) {
            titles.push(key);
        }
    }
    let wrong = |error: csv::Error| InteropError::content(FilePlace::of(&name), error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&titles).map_err(wrong)?;
    for row in &rows {
        let cells = titles.iter().map(|title| match row.get(*title) {
            None | Some(Value::Null) => String::new(),
            Some(value) => Params::display(value),
        });
        writer.write_record(cells).map_err(wrong)?;
    }
    let bytes = writer.into_inner();
    let bytes =
        bytes.map_err(|error| InteropError::content(FilePlace::of(&name), error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
