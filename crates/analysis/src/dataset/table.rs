//! A CSV table as trials to compare: key columns say which trial, the numeric columns are its metrics.

use super::{Dataset, Origin};
use crate::AnalysisError;
use crate::observation::{Key, Metrics, Observation, Used};
use fairtrial_model::{Number, Outcome, Params};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Column titles that name the task.
const TASK_TITLES: [&str; 5] = ["task", "experiment", "name", "benchmark", "test"];

impl Dataset {
    /// Reads a table's text. The columns `task` (or `experiment`, `name`, `benchmark`, `test`, else the first column
    /// that holds words), `arm`, `seed`, `rollout` and `outcome` say which trial a row is; every other column that
    /// holds a number is a metric. Arms stand in the file's order; the control is `control`, else the first.
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
        let mut repeats: HashMap<(String, Option<String>, u64), u32> = HashMap::new();
        let mut seen = HashSet::new();
        for (index, row) in rows.iter().enumerate() {
            let at_row = |what: String| bad(format!("row {}: {what}", index + 2));
            let mut observation = titles
                .observation(&headers, row, index as u64)
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
        if data.columns.is_empty() {
            return Err(bad("no column holds numbers".to_owned()));
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
        let words = || {
            let wordy = |place: &usize| {
                rows.iter().any(|row| {
                    let cell = row.get(*place).unwrap_or_default();
                    !cell.is_empty() && number(cell).is_none()
                })
            };
            let keys = ["arm", "outcome", "status"].map(named);
            (0..headers.len())
                .filter(|place| !keys.contains(&Some(*place)))
                .find(wordy)
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

    fn observation<'a>(
        &self,
        headers: &'a csv::StringRecord,
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
        let keys = [self.task, self.arm, self.seed, self.rollout, self.outcome];
        let metrics = headers
            .iter()
            .zip(row)
            .enumerate()
            .filter(|(place, _)| !keys.contains(&Some(*place)));
        let values =
            metrics.filter_map(|(_, (title, text))| Some((Cow::Borrowed(title), number(text)?)));
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
            facts: std::collections::BTreeMap::new(),
            notes: Vec::new(),
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

/// A number, also one with a percent sign or thousands apart.
fn number(text: &str) -> Option<f64> {
    let bare = text.trim().trim_end_matches('%').trim_end();
    Number::parse(bare)
        .or_else(|| Number::parse(&bare.replace(',', "")))
        .map(|number| number.0)
}
