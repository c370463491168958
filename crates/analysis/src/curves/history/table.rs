//! Histories in CSV tables: one run per file, or many runs told apart by a `run_id` (or `run`) column.

use super::curve::{History, Points};
use super::file::{content, read_text};
use crate::error::AnalysisError;
use fairtrial_model::{Number, Outcome, StepSearch};
use fairtrial_text::count::first_of;
use std::path::Path;

/// Titles of the column that names the run.
const RUN_NAMES: [&str; 2] = ["run_id", "run"];

/// A table, its rows grouped by run.
#[derive(Debug)]
pub(super) struct Table {
    titles: csv::StringRecord,
    rows: Vec<csv::StringRecord>,
    run_column: Option<usize>,
    /// Run names in the order of the file, each with the places of its rows.
    runs: Vec<(String, Vec<usize>)>,
}

impl Table {
    pub(super) fn read(path: &Path) -> Result<Self, AnalysisError> {
        let text = read_text(path)?;
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let bad = |error: csv::Error| content(path, error.to_string());
        let titles = reader.headers().map_err(bad)?.clone();
        let rows: Vec<csv::StringRecord> =
            reader.records().collect::<Result<_, _>>().map_err(bad)?;
        let run_column = RUN_NAMES.iter().find_map(|name| place(&titles, name));
        let runs = group(&rows, run_column);
        Ok(Self {
            titles,
            rows,
            run_column,
            runs,
        })
    }

    pub(super) fn has_run(&self, run: &str) -> bool {
        self.run_column.is_some() && self.runs.iter().any(|(name, _)| name == run)
    }

    /// The curve of a run; the whole table where it holds only one.
    pub(super) fn history(
        &self,
        path: &Path,
        run: Option<&str>,
        metric: &str,
        id: String,
    ) -> Result<History, AnalysisError> {
        let rows = self.rows_of(path, run)?;
        let Points {
            steps,
            values,
            notes,
        } = self.points(path, rows, metric, None)?;
        Ok(History {
            id,
            task: None,
            point: None,
            arm: self.arm(rows),
            seed: self.seed(path, rows)?,
            rollout: None,
            rollouts: Vec::new(),
            place: None,
            outcome: Outcome::Ok,
            steps,
            values,
            declaration: None,
            recorded: None,
            run: None,
            notes,
        })
    }

    /// The points of a trial's own table.
    pub(super) fn only_points(
        &self,
        path: &Path,
        metric: &str,
        step: Option<&str>,
    ) -> Result<Points, AnalysisError> {
        self.points(path, self.rows_of(path, None)?, metric, step)
    }

    /// The points of a column over the steps in another: the declared one, else a well-known one.
    fn points(
        &self,
        path: &Path,
        rows: &[usize],
        metric: &str,
        step: Option<&str>,
    ) -> Result<Points, AnalysisError> {
        let Some(value_column) = place(&self.titles, metric) else {
            let known: Vec<&str> = self.titles.iter().collect();
            return Err(content(
                path,
                format!("no column `{metric}`; there are {}", known.join(", ")),
            ));
        };
        let search = StepSearch {
            declared: step,
            metrics: &[metric],
        };
        let step_name = search.among(self.titles.iter());
        let step_column = step_name.and_then(|name| place(&self.titles, name));
        let mut points = Vec::with_capacity(rows.len());
        for &row in rows {
            let number = |column: usize| {
                self.number(row, column)
                    .map_err(|text| bad_number(path, row, &text))
            };
            let Some(value) = number(value_column)? else {
                continue;
            };
            let step = step_column.map(number).transpose()?.flatten();
            points.push((step, value));
        }
        Ok(Points::from_rows(points))
    }

    /// What the first row of a run says about its arm.
    fn arm(&self, rows: &[usize]) -> Option<String> {
        let text = self.rows[*rows.first()?].get(place(&self.titles, "arm")?)?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn rows_of(&self, path: &Path, run: Option<&str>) -> Result<&[usize], AnalysisError> {
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
                    content(path, format!("no run `{run}`; {known}"))
                };
                found.map(|(_, rows)| &rows[..]).ok_or_else(missing)
            }
            (None, [(_, rows)]) => Ok(rows),
            (None, []) => Err(content(path, "the table has no rows")),
            (None, [(first, _), ..]) => {
                let (count, file) = (self.runs.len(), path.display());
                let message = format!(
                    "the table holds {count} runs ({}); name one as `{file}#{first}`",
                    names()
                );
                Err(content(path, message))
            }
        }
    }

    /// The number in a cell; `None` where it is empty, the text where it is none.
    fn number(&self, row: usize, column: usize) -> Result<Option<f64>, String> {
        let text = self.rows[row].get(column).unwrap_or_default();
        if text.is_empty() {
            return Ok(None);
        }
        let number = Number::parse(text).ok_or_else(|| text.to_owned())?;
        Ok(Some(number.0))
    }

    /// The run's one seed, where the table has a `seed` column.
    fn seed(&self, path: &Path, rows: &[usize]) -> Result<Option<u64>, AnalysisError> {
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
                return Err(content(path, message));
            }
            seed = Some(found);
        }
        Ok(seed)
    }
}

fn bad_number(path: &Path, row: usize, text: &str) -> AnalysisError {
    // Rows are counted as an editor shows them: the titles are line 1.
    content(path, format!("row {}: `{text}` is not a number", row + 2))
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
