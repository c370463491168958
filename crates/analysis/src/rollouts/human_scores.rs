//! Scores that people gave to what judges scored, from a table: which rollout, which criterion, which score.

use super::judged_rollout::JudgedRollout;
use std::collections::BTreeMap;

/// The rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanScores {
    rows: Vec<HumanScore>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
struct HumanScore {
    line: u64,
    trial: Option<u64>,
    answer: Option<String>,
    task: Option<String>,
    criterion: String,
    score: f64,
}

/// The columns that are read; others are the user's own.
#[derive(Debug)]
struct Columns {
    trial: Option<usize>,
    answer: Option<usize>,
    task: Option<usize>,
    criterion: usize,
    score: usize,
}

/// A rollout's place, a criterion, and what people gave for it.
type Scored<'a> = (usize, &'a str, f64);

impl HumanScores {
    /// Reads a table with `criterion`, `score`, `trial` or `answer`, and perhaps `task`.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let titles = text.lines().next().unwrap_or_default();
        let separator = [b',', b'\t', b';'].into_iter();
        let separator = separator.max_by_key(|one| {
            let found = titles.bytes().filter(|byte| byte == one).count();
            (found, *one == b',')
        });
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator.unwrap_or(b','))
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let columns = Columns::of(reader.headers().map_err(|error| error.to_string())?)?;
        let rows = reader.records().map(|record| {
            let record = record.map_err(|error| error.to_string())?;
            columns.row(&record)
        });
        let rows = rows.collect::<Result<Vec<_>, String>>()?;
        if rows.is_empty() {
            return Err("it has no rows".to_owned());
        }
        Ok(Self { rows })
    }

    /// What people gave, by rollout and criterion (the mean where several did), and the rows that belong to no verdict.
    pub(super) fn matched(&self, rollouts: &[JudgedRollout]) -> (Vec<Scored<'_>>, Vec<String>) {
        let mut scored: BTreeMap<(usize, &str), Vec<f64>> = BTreeMap::new();
        let mut unmatched = Vec::new();
        for row in &self.rows {
            let mut found = false;
            for (place, rollout) in rollouts.iter().enumerate() {
                let has = |verdict: &fairtrial_model::JudgeVerdict| {
                    verdict.scores.contains_key(&row.criterion)
                };
                if row.is_about(rollout) && rollout.verdicts.iter().any(has) {
                    let key = (place, row.criterion.as_str());
                    scored.entry(key).or_default().push(row.score);
                    found = true;
                }
            }
            if !found {
                unmatched.push(row.words());
            }
        }
        let mean = |scores: Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
        let scored = scored
            .into_iter()
            .map(|((place, criterion), scores)| (place, criterion, mean(scores)));
        (scored.collect(), unmatched)
    }
}

impl Columns {
    fn of(titles: &csv::StringRecord) -> Result<Self, String> {
        let place = |name: &str| titles.iter().position(|title| title == name);
        let needed = |name: &str| {
            let titles: Vec<&str> = titles.iter().collect();
            place(name).ok_or_else(|| {
                format!(
                    "there is no column `{name}`, but {}: its columns are `trial` or `answer`, `criterion`, `score`, and \
                     perhaps `task`",
                    titles.join(", ")
                )
            })
        };
        let columns = Self {
            trial: place("trial"),
            answer: place("answer"),
            task: place("task"),
            criterion: needed("criterion")?,
            score: needed("score")?,
        };
        if columns.trial.is_none() && columns.answer.is_none() {
            return Err(
                "there is neither a column `trial` nor `answer`: which rollouts are meant?"
                    .to_owned(),
            );
        }
        Ok(columns)
    }

    fn row(&self, record: &csv::StringRecord) -> Result<HumanScore, String> {
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |place: Option<usize>| {
            let cell = record.get(place?)?;
            (!cell.is_empty()).then_some(cell)
        };
        let wrong = |what: String| format!("line {line}: {what}");
        let trial = cell(self.trial).map(|text| {
            let number = text.parse::<u64>();
            number.map_err(|_| wrong(format!("the trial `{text}` is no number")))
        });
        let (trial, answer) = (trial.transpose()?, cell(self.answer).map(str::to_owned));
        if trial.is_none() && answer.is_none() {
            return Err(wrong("it names neither a trial nor an answer".to_owned()));
        }
        let criterion = cell(Some(self.criterion));
        let criterion = criterion.ok_or_else(|| wrong("it names no criterion".to_owned()))?;
        let text = cell(Some(self.score)).unwrap_or_default();
        let score = text.parse().ok();
        let score = score.filter(|score| (0.0..=1.0).contains(score));
        Ok(HumanScore {
            line,
            trial,
            answer,
            task: cell(self.task).map(str::to_owned),
            criterion: criterion.to_owned(),
            score: score
                .ok_or_else(|| wrong(format!("the score `{text}` is no number from 0 to 1")))?,
        })
    }
}

impl HumanScore {
    fn is_about(&self, rollout: &JudgedRollout) -> bool {
        let same = |mine: Option<&String>, its: Option<&String>| mine.is_none() || mine == its;
        self.trial.is_none_or(|trial| trial == rollout.trial)
            && same(self.answer.as_ref(), rollout.answer.as_ref())
            && same(self.task.as_ref(), Some(&rollout.task))
    }

    fn words(&self) -> String {
        let mut named = Vec::new();
        named.extend(self.trial.map(|trial| format!("trial {trial}")));
        named.extend(self.answer.as_ref().map(|it| format!("answer {it}")));
        named.extend(self.task.as_ref().map(|it| format!("task {it}")));
        let (line, named, criterion) = (self.line, named.join(", "), &self.criterion);
        format!("line {line} ({named}, criterion {criterion})")
    }
}
