//! Every trial of a run: all of them column by column, which is little for many, and of a small run each one whole.

use super::evidence::Evidence;
use super::failures::{FailedTrial, LogTail, one};
use super::rollout_files::rollout_files;
use super::trial_texts::mask_trial;
use crate::error::AnalysisError;
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{
    FilesOfTrial, FilesOfTrials, JournalError, RunDir, RunState, SCRIPT_NAME, effective_records,
};
use fairtrial_model::{Number, Record};
use fairtrial_text::significant::significant;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;

/// Trials of a run whose report holds each one whole.
const WHOLE: usize = 60;
/// Metrics that have a column.
const METRICS: usize = 8;
/// Digits of a number in a column: it is there to be looked at.
const DIGITS: usize = 6;
/// Bytes of the script that runs a trial again that are read, and letters of its command that are shown.
const SCRIPT: u64 = 64 * 1024;
const COMMAND: usize = 2000;

/// All trials. Why one ended may hold a secret, and stands where that is masked, beside the trial itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialColumns {
    /// How many there are. A column with one value has it for all of them.
    pub count: usize,
    /// The words of the columns that hold words, by number; the first is none.
    pub words: Vec<String>,
    /// Places in the plan; absent where they are 0, 1, 2, ...
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trial: Vec<u64>,
    /// The task, as the number of a word.
    pub task: Vec<usize>,
    /// The arm.
    pub arm: Vec<usize>,
    /// The sweep point.
    pub point: Vec<usize>,
    /// The seed.
    pub seed: Vec<u64>,
    /// The repetition; absent where there is one only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rollout: Vec<u32>,
    /// How it ended.
    pub outcome: Vec<usize>,
    /// Wall seconds.
    pub wall: Vec<Option<f64>>,
    /// The metrics that have a column.
    pub names: Vec<String>,
    /// Their columns.
    pub values: Vec<Vec<Option<f64>>>,
    /// Each trial whole, of a small run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub whole: Vec<WholeTrial>,
}

/// A trial with what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WholeTrial {
    /// Who it is, how it ended, and the ends of its logs; the command that ran stands before them.
    #[serde(flatten)]
    pub ended: FailedTrial,
    /// Its metrics.
    pub metrics: BTreeMap<String, Number>,
    /// What it used, in the words of its record.
    pub resources: serde_json::Value,
    /// What it said about itself.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Words by number.
struct Words {
    known: HashMap<String, usize>,
    all: Vec<String>,
}

impl Words {
    fn number(&mut self, word: &str) -> usize {
        if let Some(number) = self.known.get(word) {
            return *number;
        }
        self.all.push(word.to_owned());
        self.known.insert(word.to_owned(), self.all.len() - 1);
        self.all.len() - 1
    }
}

pub(super) fn trials(evidence: &Evidence<'_>) -> TrialColumns {
    let records = &evidence.records;
    let mut words = Words {
        known: HashMap::from([(String::new(), 0)]),
        all: vec![String::new()],
    };
    let names = metric_names(evidence);
    let mut columns = TrialColumns {
        count: records.len(),
        words: Vec::new(),
        trial: Vec::new(),
        task: Vec::new(),
        arm: Vec::new(),
        point: Vec::new(),
        seed: Vec::new(),
        rollout: Vec::new(),
        outcome: Vec::new(),
        wall: Vec::new(),
        values: names
            .iter()
            .map(|name| {
                records
                    .iter()
                    .map(|record| short(record.metrics.get(name)?.0))
                    .collect()
            })
            .collect(),
        names,
        whole: Vec::new(),
    };
    for record in records {
        let key = &record.trial;
        columns.trial.push(key.index);
        columns.task.push(words.number(&key.task));
        columns
            .arm
            .push(words.number(key.arm.as_deref().unwrap_or_default()));
        let point = if key.point.is_empty() {
            String::new()
        } else {
            key.point.to_string()
        };
        columns.point.push(words.number(&point));
        columns.seed.push(key.seed);
        columns.rollout.push(key.rollout);
        columns.outcome.push(words.number(record.outcome.word()));
        columns.wall.push(record.resources.wall.and_then(short));
    }
    columns.words = words.all;
    if columns
        .trial
        .iter()
        .zip(0..)
        .all(|(index, place)| *index == place)
    {
        columns.trial = Vec::new();
    }
    if columns.rollout.iter().all(|rollout| *rollout == 0) {
        columns.rollout = Vec::new();
    }
    for column in [
        &mut columns.task,
        &mut columns.arm,
        &mut columns.point,
        &mut columns.outcome,
    ] {
        once(column);
    }
    once(&mut columns.wall);
    if records.len() <= WHOLE {
        let mut files = FilesOfTrials::of(evidence.run.root());
        columns.whole = records
            .iter()
            .map(|record| whole(record, &mut files))
            .collect();
    }
    columns
}

/// Keeps one value of a column in which all are the same.
fn once<T: PartialEq>(column: &mut Vec<T>) {
    if column.windows(2).all(|two| two[0] == two[1]) {
        column.truncate(1);
    }
}

/// The metrics that have a column: those that are shown elsewhere, too.
fn metric_names(evidence: &Evidence<'_>) -> Vec<String> {
    let declared = evidence.spec.metrics.iter();
    let mut names: Vec<String> = declared.map(|metric| metric.name.clone()).collect();
    if names.is_empty() {
        let met = evidence
            .records
            .iter()
            .flat_map(|record| record.metrics.keys());
        names = met
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .cloned()
            .collect();
    }
    names.truncate(METRICS);
    names
}

/// A number to look at.
fn short(value: f64) -> Option<f64> {
    let finite = value.is_finite().then_some(value)?;
    significant(finite, DIGITS).parse().ok()
}

/// Hands every trial whole to `each`, its texts masked for this environment.
pub fn each_trial<E: From<AnalysisError>>(
    run: &RunDir,
    environment: &Redactor,
    mut each: impl FnMut(WholeTrial) -> Result<(), E>,
) -> Result<(), E> {
    let state = RunState::read(&run.journal()).map_err(AnalysisError::from)?;
    let mut files = FilesOfTrials::of(run.root());
    let mut ended = Ok(());
    effective_records(&run.journal(), &state, |record| {
        if ended.is_ok() {
            let mut trial = whole(&record, &mut files);
            mask_trial(&mut trial.ended, environment);
            ended = each(trial);
        }
        Ok::<(), JournalError>(())
    })
    .map_err(AnalysisError::from)?;
    ended
}

fn whole(record: &Record, files: &mut FilesOfTrials) -> WholeTrial {
    let files = files.files(record).ok();
    let mut ended = one(record, files.as_ref());
    if let Some(files) = files.filter(|_| !record.dir.is_empty()) {
        ended.logs.splice(0..0, command(&files));
        ended.logs.extend(rollout_files(&files));
    }
    WholeTrial {
        ended,
        metrics: record.metrics.clone(),
        resources: serde_json::to_value(&record.resources).unwrap_or_default(),
        facts: record.facts.clone(),
        notes: record.notes.clone(),
    }
}

/// The command of a trial, from the script that runs it again.
fn command(files: &FilesOfTrial) -> Option<LogTail> {
    let script = files.open(SCRIPT_NAME).ok()?;
    let mut text = String::new();
    script.take(SCRIPT).read_to_string(&mut text).ok()?;
    let (_, command) = text.rsplit_once("\nexec ")?;
    Some(LogTail {
        file: SCRIPT_NAME.to_owned(),
        lines: vec![command.trim_end().chars().take(COMMAND).collect()],
        more: true,
    })
}
