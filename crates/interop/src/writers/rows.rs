//! A run as rows and columns: trials, iterations or points of curves, each metric a column or each number a row.

use super::outgoing::Outgoing;
use crate::records::SeedMeaning;
use fairtrial_model::{ParamValue, Params, Record, TrialKey};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a row is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// A trial.
    #[default]
    Trials,
    /// An iteration inside a trial.
    Samples,
    /// A point of a curve.
    Series,
}

/// Whether metrics are columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// Each metric is a column.
    #[default]
    Wide,
    /// Each number is a row, with its metric's name.
    Long,
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesRow {
    /// The record, by its place.
    pub record: usize,
    /// The metric.
    pub metric: String,
    /// The step.
    pub step: f64,
    /// The value.
    pub value: f64,
}

/// A cell of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Missing,
    Text(String),
    Whole(u64),
    Number(f64),
}

/// A table with its titles.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    pub(super) titles: Vec<String>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// Numbers of one row before they become columns or rows of their own.
type Numbers<'a> = Vec<(&'a str, f64)>;

impl Rows {
    /// The rows of a run; `series` has the points where they are asked for.
    pub fn of(run: &Outgoing<'_>, (shape, form): (Shape, Form), series: &[SeriesRow]) -> Self {
        // A number that has nothing in common with the same number on another side is no seed.
        let numbered = run.records.iter().any(|record| record.trial.seed > 0);
        let seed = match run.seeds {
            SeedMeaning::Process if numbered => "process",
            SeedMeaning::Process | SeedMeaning::Shared => "seed",
        };
        let mut titles: Vec<String> = ["task", "arm", seed, "rollout", "outcome"]
            .map(str::to_owned)
            .to_vec();
        let points = run
            .records
            .iter()
            .flat_map(|record| record.trial.point.iter());
        let mut kinds: BTreeMap<&str, Kind> = BTreeMap::new();
        for (name, value) in points {
            let kind = kinds.entry(name).or_insert(Kind::Whole);
            *kind = Kind::of(value).max(*kind);
        }
        let points = kinds;
        titles.extend(points.keys().map(|name| format!("point.{name}")));
        let inside = match shape {
            Shape::Trials => None,
            Shape::Samples => Some("iteration"),
            Shape::Series => Some("step"),
        };
        titles.extend(inside.map(str::to_owned));
        let curves = by_record(series);
        let mut found: Vec<(Vec<Cell>, Numbers<'_>)> = Vec::new();
        for (place, record) in run.records.iter().enumerate() {
            let key = key_cells(record, &points);
            match shape {
                Shape::Trials => found.push((key, trial_numbers(record))),
                Shape::Samples => found.extend(iterations(record).map(|(number, numbers)| {
                    let mut key = key.clone();
                    key.push(number.map_or(Cell::Missing, |number| Cell::Whole(number as u64)));
                    (key, numbers)
                })),
                Shape::Series => {
                    let points = curves.get(&place).copied().unwrap_or_default();
                    found.extend(steps(points).map(|(step, numbers)| {
                        let mut key = key.clone();
                        key.push(Cell::Number(step));
                        (key, numbers)
                    }));
                }
            }
        }
        match form {
            Form::Wide => wide(titles, found),
            Form::Long => long(titles, found),
        }
    }
}

fn wide(mut titles: Vec<String>, found: Vec<(Vec<Cell>, Numbers<'_>)>) -> Rows {
    let mut names = BTreeSet::new();
    for (name, _) in found.iter().flat_map(|(_, numbers)| numbers) {
        // Collected, all names of all rows would be sorted first.
        names.insert(*name);
    }
    let rows = found.into_iter().map(|(mut cells, numbers)| {
        cells.extend(names.iter().map(|name| {
            let value = numbers.iter().find(|(known, _)| known == name);
            value.map_or(Cell::Missing, |(_, value)| Cell::Number(*value))
        }));
        cells
    });
    let rows = rows.collect();
    // A metric that is called as a key is must not be taken for it.
    let named = names.iter().map(|name| {
        if titles.iter().any(|title| title == name) {
            return format!("metric.{name}");
        }
        (*name).to_owned()
    });
    let named: Vec<String> = named.collect();
    titles.extend(named);
    Rows { titles, rows }
}

fn long(mut titles: Vec<String>, found: Vec<(Vec<Cell>, Numbers<'_>)>) -> Rows {
    titles.extend(["metric".to_owned(), "value".to_owned()]);
    let mut rows = Vec::new();
    for (key, numbers) in found {
        if numbers.is_empty() {
            // A failed trial has no numbers, and must not be lost for it.
            let mut row = key.clone();
            row.extend([Cell::Missing, Cell::Missing]);
            rows.push(row);
        }
        for (name, value) in numbers {
            let mut row = key.clone();
            row.extend([Cell::Text(name.to_owned()), Cell::Number(value)]);
            rows.push(row);
        }
    }
    Rows { titles, rows }
}

/// What all values of a parameter are: a column has one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Whole,
    Number,
    Text,
}

impl Kind {
    fn of(value: &ParamValue) -> Self {
        match value {
            value if value.is_u64() => Self::Whole,
            value if value.is_number() => Self::Number,
            _ => Self::Text,
        }
    }

    fn cell(self, value: &ParamValue) -> Cell {
        let number = match self {
            Self::Whole => value.as_u64().map(Cell::Whole),
            Self::Number => value.as_f64().map(Cell::Number),
            Self::Text => None,
        };
        number.unwrap_or_else(|| Cell::Text(Params::display(value)))
    }
}

fn key_cells(record: &Record, points: &BTreeMap<&str, Kind>) -> Vec<Cell> {
    let TrialKey {
        task,
        arm,
        seed,
        rollout,
        point,
        ..
    } = &record.trial;
    let mut cells = vec![
        Cell::Text(task.clone()),
        arm.as_ref()
            .map_or(Cell::Missing, |arm| Cell::Text(arm.clone())),
        Cell::Whole(*seed),
        Cell::Whole(u64::from(*rollout)),
        Cell::Text(record.outcome.word().to_owned()),
    ];
    cells.extend(points.iter().map(|(name, kind)| {
        let value = point.get(name);
        value.map_or(Cell::Missing, |value| kind.cell(value))
    }));
    cells
}

fn trial_numbers(record: &Record) -> Numbers<'_> {
    let metrics = record.metrics.iter();
    metrics
        .map(|(name, value)| (name.as_str(), value.0))
        .collect()
}

/// The iterations of a record by their number; one that has none is a row of its own without one. What was measured of the whole trial stands with its
/// first iteration.
fn iterations(record: &Record) -> impl Iterator<Item = (Option<usize>, Numbers<'_>)> {
    let lengths = record.samples.values().map(Vec::len);
    let count = lengths.max().unwrap_or(0);
    (0..count.max(1)).map(move |place| {
        if count == 0 {
            return (None, trial_numbers(record));
        }
        let samples = record.samples.iter();
        let numbers = samples.filter_map(|(name, values)| {
            let value = values.get(place)?;
            Some((name.as_str(), value.0))
        });
        let whole = trial_numbers(record).into_iter();
        let whole = whole.filter(|(name, _)| place == 0 && !record.samples.contains_key(*name));
        (Some(place), whole.chain(numbers).collect())
    })
}

/// The points of each record, by its place; those of one record stand together.
pub(super) fn by_record(series: &[SeriesRow]) -> HashMap<usize, &[SeriesRow]> {
    series
        .chunk_by(|one, next| one.record == next.record)
        .map(|rows| (rows[0].record, rows))
        .collect()
}

/// The points of a record, those of one step together.
fn steps(points: &[SeriesRow]) -> impl Iterator<Item = (f64, Numbers<'_>)> {
    let mut by_step: Vec<(f64, Numbers<'_>)> = Vec::new();
    let mut places = HashMap::new();
    for row in points {
        let place = *places.entry(row.step.to_bits()).or_insert(by_step.len());
        if place == by_step.len() {
            by_step.push((row.step, Vec::new()));
        }
        by_step[place].1.push((row.metric.as_str(), row.value));
    }
    by_step.into_iter()
}
