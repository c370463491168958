//! A table as trials to compare: key columns say which trial, the columns of numbers are its metrics, or its arms.

use super::cell::Cell;
use super::column::{Cells, Use};
use super::seeds::{Seeds, seeds};
use super::several_rows::SeveralRows;
use super::sheet::Sheet;
use super::{Dataset, FactKind, Origin, SeedsPair};
use crate::error::AnalysisError;
use fairtrial_journal::observation::{Key, Metrics, Observation, Used};
use fairtrial_model::{Outcome, Params};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Column titles that name the task.
const TASK_TITLES: [&str; 5] = ["task", "experiment", "name", "benchmark", "test"];
/// Titles of keys, which are found in any case.
const KEY_TITLES: [&str; 5] = ["arm", "seed", "rollout", "outcome", "status"];
/// Titles that a column of the control's values has, where each arm has a column.
const CONTROL_TITLES: [&str; 2] = ["control", "baseline"];
/// Name of the metric of a table with a column for each arm.
const WIDE_METRIC: &str = "value";

impl Dataset {
    /// Reads a table's text, with commas, semicolons or tabs between the cells. The columns `task` (or `experiment`,
    /// `name`, `benchmark`, `test`, else the first column that holds words alone), `arm`, `seed`, `rollout` and `outcome`
    /// say which trial a row is; every other column of numbers with a title is a metric, and a cell in it that is no number
    /// is refused by name. Where there is no `arm`, but a column of numbers called `control` or `baseline`, each column of
    /// numbers is an arm. Rows have a cell for every title and no more: a cell too many is a number that was cut in two.
    /// Arms stand in the file's order; the control is `control`, else `baseline`, else the first.
    /// In the form of `export`, which has a `rollout`, `process` in the place of `seed` numbers processes, of which none belongs
    /// to one of another arm, rows that differ in `iteration` are iterations inside one trial, and `metric` names what `value` is.
    pub fn from_csv(label: &str, text: &str) -> Result<Self, AnalysisError> {
        let bad = |message: String| AnalysisError::Content {
            label: label.to_owned(),
            message,
        };
        let sheet = Sheet::read(text).map_err(bad)?;
        titles_differ(&sheet.titles).map_err(bad)?;
        let titles = Titles::find(&sheet);
        let mut data = Self::new(label, Origin::Table);
        let numbers = titles.numbers(&sheet, &mut data).map_err(bad)?;
        if numbers.is_empty() {
            return Err(bad("no column holds numbers".to_owned()));
        }
        let readings = titles.readings(&sheet, &numbers, &mut data);
        let Seeds { of_rows, note } = seeds(&sheet, titles.seed).map_err(bad)?;
        data.problems.extend(note);
        data.seeds_pair = SeedsPair::everywhere_if(titles.process.is_none());
        let mut several = SeveralRows::of(titles.iteration, titles.metric);
        let mut repeats: HashMap<(String, Option<String>, u64), u32> = HashMap::new();
        let mut seen = HashSet::new();
        for (row, seed) in of_rows.into_iter().enumerate() {
            let at_row = |what: String| bad(format!("row {}: {what}", row + 2));
            for reading in &readings {
                let mut observation = titles.observation(&sheet, row, reading).map_err(at_row)?;
                observation.trial.index = data.len() as u64;
                observation.trial.seed = seed;
                if let Some(several) = &mut several {
                    several.add((&sheet, row), observation).map_err(at_row)?;
                    continue;
                }
                let key = (
                    observation.trial.task.to_string(),
                    observation.trial.arm.as_deref().map(str::to_owned),
                    seed,
                );
                if titles.rollout.is_none() {
                    // Rows of one task, arm and seed are repetitions, told apart by their order.
                    let repeat = repeats.entry(key).or_insert(0);
                    observation.trial.rollout = *repeat;
                    *repeat += 1;
                } else if !seen.insert((key, observation.trial.rollout)) {
                    return Err(at_row(twice(&sheet)));
                }
                data.push(&observation);
            }
        }
        if let Some(several) = several {
            several.give(&mut data);
        }
        if let Some(most) = repeats.values().max().filter(|most| **most > 1)
            && titles.seed.is_some()
        {
            let over = match &data.counters[..] {
                [] => String::new(),
                counters => format!(" (over `{}`)", counters.join("`, `")),
            };
            data.problems.push(format!(
                "{label}: rows of the same task, arm and seed are averaged, up to {most} in one{over}"
            ));
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
    /// In the place of the seed.
    process: Option<usize>,
    iteration: Option<usize>,
    /// The metric that the value of a row is of.
    metric: Option<usize>,
}

/// What one trial reads of its row: the metrics, by name and column, of the arm that the columns are about.
struct Reading<'a> {
    arm: Option<&'a str>,
    metrics: Vec<(&'a str, usize)>,
}

impl Titles {
    fn find(sheet: &Sheet) -> Self {
        let named = |wanted: &str| {
            sheet
                .titles
                .iter()
                .position(|title| title.eq_ignore_ascii_case(wanted))
        };
        // A cell that is no number does not make the others names: all must be words.
        let words = || {
            let keys = KEY_TITLES.map(named);
            (0..sheet.titles.len())
                .filter(|place| !keys.contains(&Some(*place)))
                .find(|place| Cells::of(&sheet.rows, *place).are_words())
        };
        // Titles that mean something only in the form of our own exports.
        let rollout = named("rollout");
        let ours = |title: &str| rollout.and_then(|_| named(title));
        let seed = named("seed");
        let process = ours("process").filter(|_| seed.is_none());
        Self {
            task: TASK_TITLES
                .iter()
                .find_map(|title| named(title))
                .or_else(words),
            arm: named("arm"),
            seed: seed.or(process),
            rollout,
            outcome: named("outcome").or_else(|| named("status")),
            process,
            iteration: ours("iteration"),
            metric: ours("metric").filter(|_| named("value").is_some()),
        }
    }

    /// The columns of numbers. What is left aside is told.
    fn numbers(&self, sheet: &Sheet, data: &mut Dataset) -> Result<Vec<usize>, String> {
        let keys = [
            self.task,
            self.arm,
            self.seed,
            self.rollout,
            self.outcome,
            self.iteration,
            self.metric,
        ];
        let mut numbers = Vec::new();
        for place in (0..sheet.titles.len()).filter(|place| !keys.contains(&Some(*place))) {
            let title = &sheet.titles[place];
            let cells = Cells::of(&sheet.rows, place);
            match cells.are_for(title) {
                Use::Remark => {}
                _ if title.is_empty() => {
                    data.problems.push(format!(
                        "{}: column {} has no title and is not used (an index that a program wrote?)",
                        data.label,
                        place + 1
                    ));
                }
                Use::Metric { percent } => {
                    numbers.push(place);
                    if cells.count(title) {
                        data.counters.push(title.to_owned());
                    }
                    let how = if percent { "in percent" } else { "without %" };
                    data.fact(FactKind::Definition, title, how);
                }
                Use::Mixed => data.problems.push(format!(
                    "the column `{title}` holds more words than numbers and is not used"
                )),
                Use::Wrong(why) => return Err(why),
            }
        }
        Ok(numbers)
    }

    /// What a row is: one trial with its metrics, or one trial for each arm.
    fn readings<'a>(
        &self,
        sheet: &'a Sheet,
        numbers: &[usize],
        data: &mut Dataset,
    ) -> Vec<Reading<'a>> {
        let title = |place: usize| &sheet.titles[place];
        let is_arm = |place: &usize| !data.counters.iter().any(|name| name == title(*place));
        let arms: Vec<usize> = numbers.iter().copied().filter(is_arm).collect();
        let is_control = |place: &usize| {
            let title = title(*place);
            CONTROL_TITLES
                .iter()
                .any(|name| title.eq_ignore_ascii_case(name))
        };
        let is_wide = self.arm.is_none() && arms.len() > 1 && arms.iter().any(is_control);
        if !is_wide {
            let metrics = numbers.iter().map(|place| (title(*place), *place));
            return vec![Reading {
                arm: None,
                metrics: metrics.collect(),
            }];
        }
        let names: Vec<&str> = arms.iter().map(|place| title(*place)).collect();
        data.problems.push(format!(
            "{}: each column of numbers is taken as an arm: {}",
            data.label,
            names.join(", ")
        ));
        // Whether cells have percent signs is about the one metric, not about its columns.
        for fact in &mut data.facts {
            WIDE_METRIC.clone_into(&mut fact.name);
        }
        data.facts.dedup();
        let of_arm = |place: &usize| Reading {
            arm: Some(title(*place)),
            metrics: vec![(WIDE_METRIC, *place)],
        };
        arms.iter().map(of_arm).collect()
    }

    fn observation<'a>(
        &self,
        sheet: &'a Sheet,
        row: usize,
        reading: &Reading<'a>,
    ) -> Result<Observation<'a>, String> {
        let cell = |column: Option<usize>| sheet.cell(row, column);
        let rollout = cell(self.rollout).map_or(Ok(0), |text| {
            let number = text.parse::<u32>();
            number.map_err(|_| format!("`{text}` is not a rollout"))
        })?;
        let values = reading.metrics.iter().filter_map(|(name, place)| {
            let value = Cell::read(cell(Some(*place))?).value()?;
            Some((Cow::Borrowed(*name), value))
        });
        Ok(Observation {
            trial: Key {
                index: 0,
                task: Cow::Borrowed(cell(self.task).unwrap_or_default()),
                arm: reading.arm.or(cell(self.arm)).map(Cow::Borrowed),
                point: Params::new(),
                seed: 0,
                rollout,
            },
            id: Cow::Borrowed(""),
            outcome: outcome(cell(self.outcome))?,
            resources: Used::default(),
            samples: std::collections::BTreeMap::new(),
            series: std::collections::BTreeMap::new(),
            facts: std::collections::BTreeMap::new(),
            notes: Vec::new(),
            code: None,
            dir: Cow::default(),
            reused_from: None,
            metrics: Metrics(values.collect()),
        })
    }
}

/// Why two rows cannot be one trial, and what to do.
fn twice(sheet: &Sheet) -> String {
    let twice = "this task, arm, seed and rollout stands in the table twice";
    let has_steps = sheet
        .titles
        .iter()
        .any(|title| title.eq_ignore_ascii_case("step"));
    if has_steps {
        return format!(
            "{twice}: these are points of curves, and a comparison takes one value of each trial (`export --rows trials`)"
        );
    }
    twice.to_owned()
}

/// Two columns of one title would be two metrics of one name.
fn titles_differ(titles: &csv::StringRecord) -> Result<(), String> {
    let is_key = |title: &str| {
        let mut keys = KEY_TITLES.iter().chain(&TASK_TITLES);
        keys.any(|key| title.eq_ignore_ascii_case(key))
    };
    for (place, title) in titles.iter().enumerate() {
        let same =
            |other: &str| other == title || is_key(title) && other.eq_ignore_ascii_case(title);
        let before = titles.iter().take(place).position(same);
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

fn outcome(word: Option<&str>) -> Result<Outcome, String> {
    match word {
        None | Some("success" | "passed" | "completed") => Ok(Outcome::Ok),
        Some("error") => Ok(Outcome::Failed),
        Some(word) => Outcome::from_word(word).ok_or_else(|| format!("`{word}` is not an outcome")),
    }
}
