//! A CSV table as trials to compare: key columns say which trial, the numeric columns are its metrics.

use super::cell::Cell;
use super::{Dataset, Origin};
use crate::AnalysisError;
use crate::observation::{Key, Metrics, Observation, Used};
use fairtrial_model::{Outcome, Params};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Column titles that name the task.
const TASK_TITLES: [&str; 5] = ["task", "experiment", "name", "benchmark", "test"];

impl Dataset {
    /// Reads a table's text. The columns `task` (or `experiment`, `name`, `benchmark`, `test`, else the first column
    /// that holds words alone), `arm`, `seed`, `rollout` and `outcome` say which trial a row is; every other column of
    /// numbers is a metric, and a cell in it that is no number is refused by name. Arms stand in the file's order; the
    /// control is `control`, else the first.
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
        let titles = Titles::find(&headers, &rows);
        let mut data = Self::new(label, Origin::Table);
        let metrics = titles
            .metrics((&headers, &rows), &mut data.problems)
            .map_err(bad)?;
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
            let keys = ["arm", "seed", "rollout", "outcome", "status"].map(named);
            (0..headers.len())
                .filter(|place| !keys.contains(&Some(*place)))
                .find(|place| Counted::of(rows, *place).is_words())
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
        problems: &mut Vec<String>,
    ) -> Result<Vec<usize>, String> {
        let keys = [self.task, self.arm, self.seed, self.rollout, self.outcome];
        let mut metrics = Vec::new();
        for place in (0..headers.len()).filter(|place| !keys.contains(&Some(*place))) {
            match Counted::of(rows, place).is_for(&headers[place]) {
                Use::Metric => metrics.push(place),
                Use::Remark => {}
                Use::Mixed => problems.push(format!(
                    "the column `{}` holds more words than numbers and is not used",
                    &headers[place]
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
            let Cell::Number(value) = Cell::read(row.get(*place)?) else {
                return None;
            };
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

fn outcome(word: Option<&str>) -> Result<Outcome, String> {
    match word {
        None | Some("success" | "passed" | "completed") => Ok(Outcome::Ok),
        Some("error") => Ok(Outcome::Failed),
        Some(word) => Outcome::from_word(word).ok_or_else(|| format!("`{word}` is not an outcome")),
    }
}

/// What the cells of a column are; cells by row and text.
#[derive(Default)]
struct Counted<'a> {
    numbers: usize,
    unclear: Vec<(usize, &'a str)>,
    words: Vec<(usize, &'a str)>,
}

/// What a column is good for.
enum Use {
    Metric,
    Remark,
    /// Words with a few numbers among them, such as names of commits.
    Mixed,
    /// Nothing, for this reason.
    Wrong(String),
}

impl<'a> Counted<'a> {
    fn of(rows: &'a [csv::StringRecord], place: usize) -> Self {
        let mut counted = Self::default();
        for (row, cells) in rows.iter().enumerate() {
            let text = cells.get(place).unwrap_or_default();
            match Cell::read(text) {
                Cell::Missing => {}
                Cell::Number(_) => counted.numbers += 1,
                Cell::Unclear => counted.unclear.push((row, text)),
                Cell::Words => counted.words.push((row, text)),
            }
        }
        counted
    }

    fn is_words(&self) -> bool {
        !self.words.is_empty() && self.numbers + self.unclear.len() == 0
    }

    fn is_for(&self, title: &str) -> Use {
        let at = |(row, text): &(usize, &str)| format!("row {} (`{text}`)", row + 2);
        let like_numbers = self.numbers + self.unclear.len();
        match (&self.unclear[..], &self.words[..]) {
            (_, words) if words.len() > like_numbers => match like_numbers {
                0 => Use::Remark,
                _ => Use::Mixed,
            },
            ([first, ..], _) => Use::Wrong(format!(
                "column `{title}`, {}: write a decimal point (`0.95`); a comma is read between thousands alone \
                 (`1,234.5`)",
                at(first)
            )),
            ([], []) if self.numbers == 0 => Use::Remark,
            ([], []) => Use::Metric,
            ([], words) => {
                let named: Vec<String> = words.iter().take(3).map(at).collect();
                let more = words.len() - named.len();
                Use::Wrong(format!(
                    "column `{title}` holds numbers, but none in {}{}: write a number, or nothing (or `NA`) where there \
                     is none",
                    named.join(", "),
                    if more > 0 {
                        format!(" and {more} more")
                    } else {
                        String::new()
                    }
                ))
            }
        }
    }
}
