//! Histories in CSV tables: one run per file, or many runs told apart by a `run_id` (or `run`) column.

use crate::digest::{AT_ONCE, Digesting};
use crate::error::FileError;
use crate::lines::{Found, WantedColumn};
use crate::points::{CurvePoints, StepRows};
use fairtrial_episode::open_regular;
use fairtrial_model::{Number, StepSearch};
use fairtrial_text::count::first_of;
use std::io::{BufReader, Read};
use std::path::Path;

/// Titles of the column that names the run.
const RUN_NAMES: [&str; 2] = ["run_id", "run"];

/// A table, its rows grouped by run.
#[derive(Debug)]
pub struct HistoryTable {
    titles: csv::StringRecord,
    rows: Vec<csv::StringRecord>,
    run_column: Option<usize>,
    /// Run names in the order of the file, each with the places of its rows.
    runs: Vec<(String, Vec<usize>)>,
}

/// One run's rows of a table.
#[derive(Debug)]
pub struct TableHistory {
    /// The points.
    pub points: CurvePoints,
    /// What the first row says about the arm.
    pub arm: Option<String>,
    /// The run's one seed, where the table has a `seed` column.
    pub seed: Option<u64>,
}

impl HistoryTable {
    /// Reads a table.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let file = open_regular(path).map_err(|error| FileError::at(path, error.to_string()))?;
        let mut reader = reader(file);
        let bad = |error: csv::Error| FileError::at(path, error.to_string());
        let titles = reader.titles().map_err(bad)?;
        let mut rows = Vec::new();
        while let Some(row) = reader.next_row().map_err(bad)? {
            rows.push(row.clone());
        }
        let run_column = RUN_NAMES.iter().find_map(|name| place(&titles, name));
        let runs = group(&rows, run_column);
        Ok(Self {
            titles,
            rows,
            run_column,
            runs,
        })
    }

    /// Whether it has a run of this name.
    pub fn has_run(&self, run: &str) -> bool {
        self.run_column.is_some() && self.runs.iter().any(|(name, _)| name == run)
    }

    /// The curve of a run; the whole table where it holds only one.
    pub fn history(
        &self,
        path: &Path,
        run: Option<&str>,
        metric: &str,
    ) -> Result<TableHistory, FileError> {
        let rows = self.rows_of(path, run)?;
        let wanted = WantedColumn {
            key: metric,
            step: None,
        };
        let mut column = TableColumn::of(path, &self.titles, wanted)?;
        for &row in rows {
            column.take(path, row, &self.rows[row])?;
        }
        Ok(TableHistory {
            points: column.rows.points(),
            arm: self.arm(rows),
            seed: self.seed(path, rows)?,
        })
    }

    /// What the first row of a run says about its arm.
    fn arm(&self, rows: &[usize]) -> Option<String> {
        let text = self.rows[*rows.first()?].get(place(&self.titles, "arm")?)?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn rows_of(&self, path: &Path, run: Option<&str>) -> Result<&[usize], FileError> {
        let names = || first_of(self.runs.iter().map(|(name, _)| name), 3);
        match (run, &self.runs[..]) {
            (Some(run), runs) => {
                let found = runs
                    .iter()
                    .find(|(name, _)| name == run && self.run_column.is_some());
                let missing = || {
                    let known = if self.run_column.is_some() {
                        format!("there are {}", names())
                    } else {
                        "it has no column `run_id`".to_owned()
                    };
                    FileError::at(path, format!("no run `{run}`; {known}"))
                };
                found.map(|(_, rows)| &rows[..]).ok_or_else(missing)
            }
            (None, [(_, rows)]) => Ok(rows),
            (None, []) => Err(no_rows(path)),
            (None, [(first, _), ..]) => {
                let (count, file) = (self.runs.len(), path.display());
                let message = format!(
                    "the table holds {count} runs ({}); name one as `{file}#{first}`",
                    names()
                );
                Err(FileError::at(path, message))
            }
        }
    }

    /// The run's one seed, where the table has a `seed` column.
    fn seed(&self, path: &Path, rows: &[usize]) -> Result<Option<u64>, FileError> {
        let Some(column) = place(&self.titles, "seed") else {
            return Ok(None);
        };
        let mut seed = None;
        for &row in rows {
            let text = self.rows[row].get(column).unwrap_or_default();
            if text.is_empty() {
                continue;
            }
            let found: u64 = text.parse().map_err(|_| bad_number(path, row, text))?;
            if seed.is_some_and(|known| known != found) {
                let message = format!("row {}: one run has more than one seed", row + 2);
                return Err(FileError::at(path, message));
            }
            seed = Some(found);
        }
        Ok(seed)
    }
}

/// Reads the wanted columns of a trial's own table, row by row. An error is about the file.
pub(crate) fn read(path: &Path, wanted: &[WantedColumn<'_>]) -> Result<Found, FileError> {
    let opened = open_regular(path).map_err(|error| FileError::at(path, error.to_string()))?;
    let mut file = Digesting::new(opened);
    let points = columns(path, wanted, &mut file)?;
    // A table ends where its file does, so that all of it was read.
    Ok(Found {
        points,
        digest: file.digest(),
    })
}

fn columns(
    path: &Path,
    wanted: &[WantedColumn<'_>],
    file: &mut impl Read,
) -> Result<Vec<Result<CurvePoints, FileError>>, FileError> {
    let bad = |error: csv::Error| FileError::at(path, error.to_string());
    let mut reader = reader(file);
    let titles = reader.titles().map_err(bad)?;
    let run_column = RUN_NAMES.iter().find_map(|name| place(&titles, name));
    let mut run: Option<String> = None;
    let mut columns: Vec<Result<TableColumn, FileError>> = wanted
        .iter()
        .map(|wanted| TableColumn::of(path, &titles, *wanted))
        .collect();
    for number in 0.. {
        let Some(row) = reader.next_row().map_err(bad)? else {
            break;
        };
        let name = run_column.and_then(|column| row.get(column));
        let name = name.unwrap_or_default();
        if run.get_or_insert_with(|| name.to_owned()) != name {
            // Whose rows are meant is not known: what is said about that names all runs.
            let table = HistoryTable::read(path)?;
            let several = table.rows_of(path, None).err();
            return Err(several.unwrap_or_else(|| FileError::at(path, "it is being changed")));
        }
        for column in &mut columns {
            let taken = match column {
                Ok(known) => known.take(path, number, row),
                Err(_) => Ok(()),
            };
            if let Err(error) = taken {
                *column = Err(error);
            }
        }
    }
    if run.is_none() {
        return Err(no_rows(path));
    }
    let points = columns.into_iter();
    Ok(points
        .map(|column| column.map(|it| it.rows.points()))
        .collect())
}

fn no_rows(path: &Path) -> FileError {
    FileError::at(path, "the table has no rows")
}

/// A column over the steps in another: the declared one, else a well-known one.
struct TableColumn {
    value: usize,
    step: Option<usize>,
    rows: StepRows,
}

impl TableColumn {
    fn of(
        path: &Path,
        titles: &csv::StringRecord,
        wanted: WantedColumn<'_>,
    ) -> Result<Self, FileError> {
        let WantedColumn { key, step } = wanted;
        let Some(value) = place(titles, key) else {
            let known: Vec<&str> = titles.iter().collect();
            return Err(FileError::at(
                path,
                format!("no column `{key}`; there are {}", known.join(", ")),
            ));
        };
        let search = StepSearch {
            declared: step,
            metrics: &[key],
        };
        let step = search.among(titles.iter());
        Ok(Self {
            value,
            step: step.and_then(|name| place(titles, name)),
            rows: StepRows::default(),
        })
    }

    fn take(
        &mut self,
        path: &Path,
        number: usize,
        row: &csv::StringRecord,
    ) -> Result<(), FileError> {
        let cell = |column: usize| {
            let found = cell(row, column);
            found.map_err(|text| bad_number(path, number, text))
        };
        if let Some(value) = cell(self.value)? {
            let step = self.step.map(cell).transpose()?.flatten();
            self.rows.push(step, value);
        }
        Ok(())
    }
}

/// The number in a cell; `None` where it is empty, the text where it is none.
fn cell(row: &csv::StringRecord, column: usize) -> Result<Option<f64>, &str> {
    let text = row.get(column).unwrap_or_default();
    if text.is_empty() {
        return Ok(None);
    }
    let number = Number::parse(text).ok_or(text)?;
    Ok(Some(number.0))
}

/// The rows of a table as text: what is none is replaced.
struct RowReader<R> {
    reader: csv::Reader<R>,
    raw: csv::ByteRecord,
    row: csv::StringRecord,
}

fn reader<R: Read>(file: R) -> RowReader<BufReader<R>> {
    let file = BufReader::with_capacity(AT_ONCE, file);
    RowReader {
        reader: csv::ReaderBuilder::new()
            .trim(csv::Trim::None)
            .from_reader(file),
        raw: csv::ByteRecord::new(),
        row: csv::StringRecord::new(),
    }
}

impl<R: Read> RowReader<R> {
    fn titles(&mut self) -> csv::Result<csv::StringRecord> {
        Ok(trimmed(self.reader.byte_headers()?))
    }

    fn next_row(&mut self) -> csv::Result<Option<&csv::StringRecord>> {
        if !self.reader.read_byte_record(&mut self.raw)? {
            return Ok(None);
        }
        self.row = trimmed(&self.raw);
        Ok(Some(&self.row))
    }
}

fn trimmed(raw: &csv::ByteRecord) -> csv::StringRecord {
    let cells = raw.iter().map(String::from_utf8_lossy);
    let mut row = csv::StringRecord::with_capacity(raw.as_slice().len(), raw.len());
    for cell in cells {
        row.push_field(cell.trim());
    }
    row
}

fn bad_number(path: &Path, row: usize, text: &str) -> FileError {
    // Rows are counted as an editor shows them: the titles are line 1.
    FileError::at(path, format!("row {}: `{text}` is not a number", row + 2))
}

fn place(titles: &csv::StringRecord, name: &str) -> Option<usize> {
    titles.iter().position(|title| title == name)
}

fn group(rows: &[csv::StringRecord], column: Option<usize>) -> Vec<(String, Vec<usize>)> {
    let mut runs: Vec<(String, Vec<usize>)> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for (number, row) in rows.iter().enumerate() {
        let name = column.and_then(|place| row.get(place)).unwrap_or_default();
        let place = *known.entry(name.to_owned()).or_insert_with(|| {
            runs.push((name.to_owned(), Vec::new()));
            runs.len() - 1
        });
        runs[place].1.push(number);
    }
    runs
}
