//! Parquet tables, as pandas, Polars, DuckDB and Arrow write them: plain columns of numbers and texts, in and out.
//!
//! A table is read into CSV text, so that it is used like any other. The usual crate for this costs a minute and a half of
//! building for what is a few hundred lines here; columns of lists and tables inside tables are left out, with a note.

mod column;
mod thrift;
mod unpack;
mod write;

use crate::error::{FilePlace, InteropError};
use crate::input::Input;
use column::{Cell, Column, ColumnKind};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use thrift::{Struct, Value};

use write::MAGIC;
pub use write::{Parquet, ParquetColumn};

/// Bytes of the part that says what is where.
const MOST_FOOTER: u64 = 256 << 20;
/// Bytes of one column in one group of rows.
const MOST_CHUNK: u64 = 1 << 30;

/// A table as text, and what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParquetTable {
    /// The table as CSV.
    pub csv: String,
    /// Columns that were left out.
    pub notes: Vec<String>,
}

/// Whether a file is a Parquet table.
pub fn is_parquet(path: &Path) -> bool {
    Input::open(path).is_ok_and(|input| input.starts_with(MAGIC).unwrap_or(false))
}

/// Reads a table.
pub fn read_parquet(input: Input<'_>) -> Result<ParquetTable, InteropError> {
    let name = input.name();
    let mut source = input.seekable();
    table(&mut source).map_err(|message| InteropError::content(FilePlace::of(name), message))
}

/// A column as the schema has it.
struct Declared {
    name: String,
    kind: Option<ColumnKind>,
    optional: bool,
}

fn table(source: &mut (impl Read + Seek)) -> Result<ParquetTable, String> {
    let footer = footer(source)?;
    let (columns, mut notes) = columns(&footer)?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let used: Vec<usize> = (0..columns.len())
        .filter(|place| columns[*place].kind.is_some())
        .collect();
    let titles = used.iter().map(|place| &columns[*place].name);
    writer
        .write_record(titles)
        .map_err(|error| error.to_string())?;
    for group in footer.list(4) {
        let Value::Struct(group) = group else {
            continue;
        };
        let mut cells: Vec<Vec<Cell>> = Vec::new();
        for place in &used {
            let declared = &columns[*place];
            let Some(Value::Struct(chunk)) = group.list(1).get(*place) else {
                return Err(format!("the column `{}` is missing", declared.name));
            };
            let read = read_chunk(source, declared, chunk);
            cells.push(read.map_err(|error| format!("column `{}`: {error}", declared.name))?);
        }
        let rows = cells.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..rows {
            let text = |column: &Vec<Cell>| column.get(row).cloned().flatten().unwrap_or_default();
            let record: Vec<String> = cells.iter().map(text).collect();
            writer
                .write_record(&record)
                .map_err(|error| error.to_string())?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    notes.dedup();
    Ok(ParquetTable {
        csv: String::from_utf8_lossy(&bytes).into_owned(),
        notes,
    })
}

/// The part at the end that says what is where.
fn footer(source: &mut (impl Read + Seek)) -> Result<Struct, String> {
    let io = |error: std::io::Error| error.to_string();
    let length = source.seek(SeekFrom::End(0)).map_err(io)?;
    if length < 12 {
        return Err("the file is too short for a Parquet table".to_owned());
    }
    let tail = bytes(source, length - 8, 8)?;
    if tail[4..] != MAGIC[..] {
        return Err("the file is cut off: its end is not that of a Parquet table".to_owned());
    }
    let size = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    if size > MOST_FOOTER || size + 12 > length {
        return Err("the size of its description is wrong".to_owned());
    }
    let bytes = bytes(source, length - 8 - size, size)?;
    let found = thrift::read(&bytes).ok_or("its description is damaged")?;
    Ok(found.0)
}

/// The columns in their order. Only those right below the root are plain.
fn columns(footer: &Struct) -> Result<(Vec<Declared>, Vec<String>), String> {
    let mut found = Vec::new();
    let mut notes = Vec::new();
    let mut inside = 0_i64;
    let mut outer = String::new();
    for element in footer.list(2).iter().skip(1) {
        let Value::Struct(element) = element else {
            return Err("its schema is damaged".to_owned());
        };
        let name = element.text(4).unwrap_or_default();
        let children = element.int(5).unwrap_or(0);
        let nested = inside > 0;
        if nested {
            inside -= 1;
        } else {
            outer.clone_from(&name);
        }
        if children > 0 {
            inside = inside.saturating_add(children);
            continue;
        }
        let kind = element.int(1).and_then(ColumnKind::of);
        let repeated = element.int(3) == Some(2);
        let plain = !nested && !repeated;
        if !plain || kind.is_none() {
            let shown = if nested { &outer } else { &name };
            notes.push(format!(
                "the column `{shown}` is no plain column and left out"
            ));
        }
        found.push(Declared {
            name,
            kind: kind.filter(|_| plain),
            optional: element.int(3) == Some(1),
        });
    }
    Ok((found, notes))
}

fn read_chunk(
    source: &mut (impl Read + Seek),
    declared: &Declared,
    chunk: &Struct,
) -> Result<Vec<Cell>, String> {
    let Some(kind) = declared.kind else {
        return Ok(Vec::new());
    };
    let about = chunk.inner(3).ok_or("nothing says where it is")?;
    let at = |number| about.int(number).and_then(|at| u64::try_from(at).ok());
    // A dictionary stands before the values.
    let start = at(11)
        .filter(|at| *at > 0)
        .or(at(9))
        .ok_or("nothing says where it is")?;
    let size = at(7).ok_or("nothing says how long it is")?;
    if size > MOST_CHUNK {
        return Err(format!(
            "it takes more than {} MiB at once",
            MOST_CHUNK >> 20
        ));
    }
    let column = Column {
        kind,
        codec: about.int(4).unwrap_or(0),
        optional: declared.optional,
        count: at(5)
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(0),
    };
    column.read(&bytes(source, start, size)?)
}

fn bytes(source: &mut (impl Read + Seek), at: u64, length: u64) -> Result<Vec<u8>, String> {
    let io = |error: std::io::Error| error.to_string();
    source.seek(SeekFrom::Start(at)).map_err(io)?;
    let mut found = Vec::new();
    source
        .by_ref()
        .take(length)
        .read_to_end(&mut found)
        .map_err(io)?;
    if (found.len() as u64) < length {
        return Err("the file is cut off".to_owned());
    }
    Ok(found)
}
