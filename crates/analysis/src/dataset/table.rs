//! A CSV table as trials to compare: key columns say which trial, the numeric columns are its metrics.

use super::cell::Cell;
use super::column::{Cells, Use};
use super::{Dataset, FactKind, Origin};
use crate::error::AnalysisError;
use crate::observation::{Key, Metrics, Observation, Used};
use fairtrial_model::{Outcome, Params};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Column titles that name the task.
const TASK_TITLES: [&str; 5] = ["task", "experiment", "name", "benchmark", "test"];

impl Dataset {
    /// Reads a table's text. The columns `task` (or `experiment`, `name`, `benchmark`, `test`, else the first column
    /// that holds words alone), `arm`, `seed`, `rollout` and `outcome` say which trial a row is; every other column of
    /// numbers with a title is a metric, and a cell in it that is no number is refused by name. Rows have a cell for every
    /// title and no more: a cell too many is a number that was cut in two. Arms stand in the file's order; the control is
    /// `control`, else the first.
    pub fn from_csv(label: &str, text: &str) -> Result<Self, AnalysisError> {
        let bad = |message: String| AnalysisError::Content {
            label: label.to_owned(),
            message,
        };
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        // Titles of results tables carry options (`Correct (%)|align right`), which are no part of the metric's name.
        let headers: csv::StringRecord = reader
            .headers()
            .map_err(|error| bad(error.to_string()))?
            .iter()
            .map(|title| title.split('|').next().unwrap_or(title).trim())
            .collect();
        let rows: Vec<csv::StringRecord> = reader
            .records()
            .collect::<Result<_, _>>()
            .map_err(|error| bad(error.to_string()))?;
        titles_differ(&headers).map_err(bad)?;
        for (index, row) in rows.iter().enumerate() {
            has_its_cells(&headers, row).map_err(|why| bad(format!("row {} {why}", index + 2)))?;
        }
        let titles = Titles::find(&headers, &rows);
        let mut data = Self::new(label, Origin::Table);
        let metrics = titles.metrics((&headers, &rows), &mut data).map_err(bad)?;
        if metrics.is_empty() {
            return Err(bad("no column holds numbers".to_owned()));
        }
        let mut repeats: HashMap<(String, Option<String>, u64), u32> = HashMap::new();
        let mut seen = HashSet::new();
        for (index, row) in rows.iter().enumerate() {
            let at_row = |what: String| bad(format!("row {}: {what}", index + 2));
            let mut observation = titles
                .observation((&headers, &metrics), row, index as u64)
                .map_err(at_row)?;
            let key = (
                observation.trial.task.to_string(),
                observation.trial.arm.as_deref().map(str::to_owned),
                observation.trial.seed,
            );
            if titles.rollout.is_none() {
                // Rows of one task, arm and seed are repetitions, told apart by their order.
                let repeat = repeats.entry(key).or_insert(0);
                observation.trial.rollout = *repeat;
                *repeat += 1;
            } else if !seen.insert((key, observation.trial.rollout)) {
                return Err(at_row(
                    "this task, arm, seed and rollout stands in the table twice".to_owned(),
                ));
            }
            data.push(&observation);
        }
        data.arms_as_they_came();
        Ok(data)
    }
}

/// Which column is which key.
struct Titles {
    task: Option<usize>,
    arm: Option<usize>,
    seed: Option<usize>,
    rollout: Option<usize>,
    outcome: Option<usize>,
}

impl Titles {
    fn find(headers: &csv::StringRecord, rows: &[csv::StringRecord]) -> Self {
        let named = |wanted: &str| {
            headers
                .iter()
                .position(|title| title.eq_ignore_ascii_case(wanted))
        };
        // A cell that is no number does not make the others names: all must be words.
        let words = || {
            let keys = KEY_TITLES.map(named);
            (0..headers.len())
                .filter(|place| !keys.contains(&Some(*place)))
                .find(|place| Cells::of(rows, *place).are_words())
        };
        Self {
            task: TASK_TITLES
                .iter()
                .find_map(|title| named(title))
                .or_else(words),
            arm: named("arm"),
            seed: named("seed"),
            rollout: named("rollout"),
            outcome: named("outcome").or_else(|| named("status")),
        }
    }

    /// The columns that are metrics: those of numbers. What is left aside is told.
    fn metrics(
        &self,
        (headers, rows): (&csv::StringRecord, &[csv::StringRecord]),
        data: &mut Dataset,
    ) -> Result<Vec<usize>, String> {
        let keys = [self.task, self.arm, self.seed, self.rollout, self.outcome];
        let mut metrics = Vec::new();
        for place in (0..headers.len()).filter(|place| !keys.contains(&Some(*place))) {
            let title = &headers[place];
            match Cells::of(rows, place).are_for(title) {
                Use::Remark => {}
                _ if title.is_empty() => {
                    data.problems.push(format!(
                        "{}: column {} has no title and is not used (an index that a program wrote?)",
                        data.label,
                        place + 1
                    ));
                }
                Use::Metric { percent } => {
                    metrics.push(place);
                    let how = if percent { "in percent" } else { "without %" };
                    data.fact(FactKind::Definition, title, how);
                }
                Use::Mixed => data.problems.push(format!(
                    "the column `{title}` holds more words than numbers and is not used"
                )),
                Use::Wrong(why) => return Err(why),
            }
        }
        Ok(metrics)
    }

    fn observation<'a>(
        &self,
        (headers, metrics): (&'a csv::StringRecord, &[usize]),
        row: &'a csv::StringRecord,
        index: u64,
    ) -> Result<Observation<'a>, String> {
        let cell = |place: Option<usize>| {
            place
                .and_then(|place| row.get(place))
                .filter(|text| !text.is_empty())
        };
        let whole = |place: Option<usize>, what: &str| {
            let text = cell(place);
            text.map_or(Ok(None), |text| {
                text.parse::<u64>()
                    .map(Some)
                    .map_err(|_| format!("`{text}` is not a {what}"))
            })
        };
        let values = metrics.iter().filter_map(|place| {
            let value = Cell::read(row.get(*place)?).value()?;
            Some((Cow::Borrowed(&headers[*place]), value))
        });
        let rollout = whole(self.rollout, "rollout")?.unwrap_or(0);
        Ok(Observation {
            trial: Key {
                index,
                task: Cow::Borrowed(cell(self.task).unwrap_or_default()),
                arm: cell(self.arm).map(Cow::Borrowed),
                point: Params::new(),
                seed: whole(self.seed, "seed")?.unwrap_or(0),
                rollout: u32::try_from(rollout)
                    .map_err(|_| format!("`{rollout}` is not a rollout"))?,
            },
            id: Cow::Borrowed(""),
            outcome: outcome(cell(self.outcome))?,
            resources: Used::default(),
            series: std::collections::BTreeMap::new(),
            facts: std::collections::BTreeMap::new(),
            notes: Vec::new(),
            reused_from: None,
            metrics: Metrics(values.collect()),
        })
    }
}

/// Titles of keys, which are found in any case.
const KEY_TITLES: [&str; 5] = ["arm", "seed", "rollout", "outcome", "status"];

/// Two columns of one title would be two metrics of one name.
fn titles_differ(headers: &csv::StringRecord) -> Result<(), String> {
    let is_key = |title: &str| {
        let mut keys = KEY_TITLES.iter().chain(&TASK_TITLES);
        keys.any(|key| title.eq_ignore_ascii_case(key))
    };
    for (place, title) in headers.iter().enumerate() {
        let same =
            |other: &str| other == title || is_key(title) && other.eq_ignore_ascii_case(title);
        let before = headers.iter().take(place).position(same);
        if let Some(before) = before.filter(|_| !title.is_empty()) {
            return Err(format!(
                "the title `{title}` stands twice (columns {} and {}): give each column its own",
                before + 1,
                place + 1
            ));
        }
    }
    Ok(())
}

/// A row with another number of cells than there are titles has its values under the wrong ones, or not all of them.
/// Empty cells at the end are no values.
fn has_its_cells(headers: &csv::StringRecord, row: &csv::StringRecord) -> Result<(), String> {
    let filled = |record: &csv::StringRecord| {
        let filled = record
            .iter()
            .enumerate()
            .filter(|(_, cell)| !cell.is_empty());
        filled.map(|(place, _)| place + 1).max().unwrap_or(0)
    };
    if filled(row) > headers.len() {
        return Err(format!(
            "has {} cells, but there are {} titles: write decimals with a point (`0.95`), and a cell that holds a comma in \
             quotes",
            filled(row),
            headers.len()
        ));
    }
    if row.len() < filled(headers) {
        return Err(format!(
            "has {} cells, but there are {} titles: write a comma for each cell that is missing (or is the file cut off?)",
            row.len(),
            filled(headers)
        ));
    }
    Ok(())
}

fn outcome(word: Option<&str>) -> Result<Outcome, String> {
    match word {
        None | Some("success" | "passed" | "completed") => Ok(Outcome::Ok),
        Some("error") => Ok(Outcome::Failed),
        Some(word) => Outcome::from_word(word).ok_or_else(|| format!("`{word}` is not an outcome")),
    }
}
