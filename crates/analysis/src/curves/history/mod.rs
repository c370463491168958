//! Learning curves as they were logged, found by the run ids that users type.
//!
//! An id is looked for in this order, and the first that fits is taken:
//! 1. `FILE.csv#RUN`: the rows of a table whose `run_id` (or `run`) column says RUN;
//! 2. a path: a CSV or JSONL file with one run's history, or a trial's directory;
//! 3. another tool's file, folder or address: W&B, TensorBoard, MLflow;
//! 4. in the place that `--from` names: a run of that table, or `ID.csv` / `ID.jsonl` in that folder;
//! 5. a trial of the data root, `<stamp>-<index>`;
//! 6. `NAME[/STAMP][:ARM[:SEED]]`: all trials of a run (the newest), of one of its arms, or the arm's trial of a seed.
//!
//! Steps stand in the column or key that the metric declares, else in one with a well-known name (`_step`, `step`,
//! `global_step`, ...); without any the row's number is the step, and that is said. A row without the metric is no point
//! of its curve.

mod behind;
mod foreign;
mod lines;
mod locate;
mod table;
mod trial;

pub use behind::RunBehind;
pub use foreign::ForeignCurves;

use crate::error::AnalysisError;
use fairtrial_interop::Recognised;
use fairtrial_journal::DataRoot;
use fairtrial_model::{MetricDeclaration, Outcome};
use fairtrial_spec::Filter;
use locate::Place;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use table::Table;

/// What a trial's record made of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedNumber {
    /// The number.
    pub value: f64,
    /// How it was made (`last`, `auc 25%`).
    pub summary: String,
}

/// One run's curve.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The run, as reports name it.
    pub id: String,
    /// Its task, where that is recorded.
    pub task: Option<String>,
    /// Its point of a sweep, where that is recorded; empty where nothing is swept.
    pub point: Option<String>,
    /// Its arm, where that is recorded.
    pub arm: Option<String>,
    /// Its seed, where that is recorded.
    pub seed: Option<u64>,
    /// Which repetition under its seed it is, where that is recorded.
    pub rollout: Option<u32>,
    /// Further rollouts of the same seed: together they are one run, whose number is the mean of theirs.
    pub rollouts: Vec<History>,
    /// The file or folder that it was read from, and the run in a table of several: the same for every way to write it.
    pub place: Option<(PathBuf, Option<String>)>,
    /// How it ended; a plain file says nothing else than `ok`.
    pub outcome: Outcome,
    /// Steps in the order of the log.
    pub steps: Vec<f64>,
    /// Values in the order of the log; NaN where one was logged.
    pub values: Vec<f64>,
    /// How its spec declares the metric.
    pub declaration: Option<MetricDeclaration>,
    /// The number that its record made of the series, and how; absent for histories of other tools.
    pub recorded: Option<RecordedNumber>,
    /// The run of ours that it is a trial of.
    pub run: Option<Arc<RunBehind>>,
    /// What a reader should know about the reading.
    pub notes: Vec<String>,
}

impl History {
    /// The curve of every rollout.
    pub(crate) fn curves(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.rollouts)
    }

    /// Whether both are rollouts of one seed.
    pub(crate) fn shares_seed(&self, other: &Self) -> bool {
        let recorded = self.rollout.is_some() && other.rollout.is_some() && self.seed.is_some();
        recorded && self.seed == other.seed && self.arm == other.arm
    }
}

/// Points of one metric, before it is known whose they are.
#[derive(Debug, Clone, Default, PartialEq)]
struct Points {
    steps: Vec<f64>,
    values: Vec<f64>,
    notes: Vec<String>,
}

impl Points {
    /// One number, which is no curve.
    fn single(value: f64) -> Self {
        Self {
            steps: vec![0.0],
            values: vec![value],
            notes: vec!["one number and no curve; `fairtrial compare` works on those".to_owned()],
        }
    }

    /// From rows of (step, value): their steps where any has one, else the rows' numbers.
    fn from_rows(rows: Vec<(Option<f64>, f64)>) -> Self {
        let stepped = rows.iter().any(|(step, _)| step.is_some());
        let mut points = Self::default();
        for (number, (step, value)) in rows.into_iter().enumerate() {
            // A value without a step among values with one is a final value, not a point.
            let Some(step) = (if stepped { step } else { Some(number as f64) }) else {
                continue;
            };
            points.steps.push(step);
            points.values.push(value);
        }
        if let (false, [value]) = (stepped, points.values.as_slice()) {
            return Self::single(*value);
        }
        if !stepped && !points.values.is_empty() {
            let note = "no step column: the rows are numbered in their order";
            points.notes.push(note.to_owned());
        }
        points
    }
}

/// Where histories are looked for; a table is read once, however many of its runs are asked for.
#[derive(Debug)]
pub struct Histories {
    root: DataRoot,
    from: Option<PathBuf>,
    only: Option<Filter>,
    tables: HashMap<PathBuf, Rc<Table>>,
    runs: behind::Runs,
    foreign: Option<ForeignCurves>,
    recognised: Vec<Recognised>,
}

impl Histories {
    /// Histories of a data root and, where given, of a table or folder.
    pub fn new(root: DataRoot, from: Option<PathBuf>) -> Self {
        Self {
            root,
            from,
            only: None,
            tables: HashMap::new(),
            runs: behind::Runs::default(),
            foreign: None,
            recognised: Vec::new(),
        }
    }

    /// The same with other tools' files, read as this says.
    #[must_use]
    pub fn with_foreign(mut self, how: ForeignCurves) -> Self {
        self.foreign = Some(how);
        self
    }

    /// The same, of which only some trials of a run count.
    #[must_use]
    pub fn only(mut self, filter: Option<Filter>) -> Self {
        self.only = filter;
        self
    }

    /// The curves behind run ids, in their order; one id can stand for several trials.
    pub fn read(&mut self, ids: &[String], metric: &str) -> Result<Vec<History>, AnalysisError> {
        let mut found = Vec::new();
        for id in ids {
            if let Some(curves) = self.foreign(id, metric)? {
                found.extend(curves);
                continue;
            }
            for place in self.locate(id)? {
                found.push(self.history(place, metric)?);
            }
        }
        Ok(found)
    }

    /// The one curve behind a run id.
    pub fn read_one(&mut self, id: &str, metric: &str) -> Result<History, AnalysisError> {
        let mut found = self.read(&[id.to_owned()], metric)?;
        match (found.pop(), found.len()) {
            (Some(history), 0) => Ok(history),
            (_, more) => Err(AnalysisError::Question(format!(
                "`{id}` stands for {} trials; name one of them",
                more + 1
            ))),
        }
    }

    fn history(&mut self, place: Place, metric: &str) -> Result<History, AnalysisError> {
        let at = place.canonical();
        let history = self.read_at(place, metric)?;
        Ok(History {
            place: Some(at),
            ..history
        })
    }

    fn read_at(&mut self, place: Place, metric: &str) -> Result<History, AnalysisError> {
        match place {
            Place::Table { path, run, id } => {
                let table = self.table(&path)?;
                table.history(&path, run.as_deref(), metric, id)
            }
            Place::Lines { path, id } => lines::history(&path, metric, id),
            Place::Trial { dir, run, id } => {
                let known = (&mut self.runs, &self.root);
                trial::history(known, (&dir, run.as_ref()), metric, id)
            }
        }
    }

    fn table(&mut self, path: &Path) -> Result<Rc<Table>, AnalysisError> {
        if let Some(table) = self.tables.get(path) {
            return Ok(Rc::clone(table));
        }
        let table = Rc::new(Table::read(path)?);
        self.tables.insert(path.to_owned(), Rc::clone(&table));
        Ok(table)
    }
}

/// Steps and values of one metric in a trial's directory, in the unit that its numbers are kept in.
pub fn series_of(
    dir: &Path,
    metric: &str,
    declaration: Option<&MetricDeclaration>,
) -> Result<(Vec<f64>, Vec<f64>), AnalysisError> {
    let points = trial::points(dir, metric, declaration)?;
    Ok((points.steps, points.values))
}

/// A file that does not hold what it should.
fn content(path: &Path, message: impl Into<String>) -> AnalysisError {
    AnalysisError::Content {
        label: path.display().to_string(),
        message: message.into(),
    }
}

fn read_text(path: &Path) -> Result<String, AnalysisError> {
    let bytes = std::fs::read(path).map_err(|error| content(path, error.to_string()))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Histories, Points};
    use fairtrial_journal::DataRoot;
    use std::fs;

    #[test]
    fn rows_without_any_step_are_numbered_and_final_values_are_no_points() {
        let numbered = Points::from_rows(vec![(None, 5.0), (None, 6.0)]);
        assert_eq!(numbered.steps, [0.0, 1.0]);
        assert_eq!(numbered.notes.len(), 1);
        let stepped = Points::from_rows(vec![(Some(3.0), 5.0), (None, 9.0)]);
        assert_eq!(stepped.values, [5.0]);
        assert!(stepped.notes.is_empty());
    }

    fn folder() -> (tempfile::TempDir, Histories) {
        let dir = tempfile::tempdir().unwrap();
        let table = "run_id,seed,_step,reward\na,7,1,0.5\na,7,2,0.75\nb,8,1,1\n";
        fs::write(dir.path().join("all.csv"), table).unwrap();
        fs::write(
            dir.path().join("one.jsonl"),
            "{\"step\":1,\"reward\":2}\n{\"step\":2,\"loss\":NaN,\"reward\":3}\n{\"step\":3,\"reward\":NaN}\n",
        )
        .unwrap();
        let histories = Histories::new(DataRoot::at(dir.path().join("data")), None);
        (dir, histories)
    }

    #[test]
    fn a_table_gives_the_named_run_with_its_seed() {
        let (dir, mut histories) = folder();
        let id = format!("{}#a", dir.path().join("all.csv").display());
        let run = histories.read_one(&id, "reward").unwrap();
        assert_eq!(
            (run.id.as_str(), run.seed, run.values),
            ("a", Some(7), vec![0.5, 0.75])
        );
    }

    #[test]
    fn a_table_of_several_runs_must_be_told_which() {
        let (dir, mut histories) = folder();
        let id = dir.path().join("all.csv").display().to_string();
        let error = histories.read_one(&id, "reward").unwrap_err().to_string();
        assert!(error.contains("all.csv#a"), "{error}");
        let id = format!("{id}#c");
        let error = histories.read_one(&id, "reward").unwrap_err().to_string();
        assert!(error.contains("no run `c`"), "{error}");
        let id = format!("{}#a", dir.path().join("all.csv").display());
        let error = histories.read_one(&id, "loss").unwrap_err().to_string();
        assert!(
            error.contains("no column `loss`") && error.contains("reward"),
            "{error}"
        );
    }

    #[test]
    fn json_lines_keep_a_logged_nan_and_skip_other_metrics() {
        let (dir, mut histories) = folder();
        let id = dir.path().join("one.jsonl").display().to_string();
        let run = histories.read_one(&id, "reward").unwrap();
        assert_eq!(run.steps, [1.0, 2.0, 3.0]);
        assert_eq!(run.values[..2], [2.0, 3.0]);
        assert!(run.values[2].is_nan());
    }

    #[test]
    fn bare_ids_are_found_in_the_named_table_or_folder() {
        let (dir, _) = folder();
        let root = DataRoot::at(dir.path().join("data"));
        let mut of_table = Histories::new(root.clone(), Some(dir.path().join("all.csv")));
        assert_eq!(of_table.read_one("b", "reward").unwrap().seed, Some(8));
        let mut of_folder = Histories::new(root, Some(dir.path().to_owned()));
        assert_eq!(of_folder.read_one("one", "reward").unwrap().values.len(), 3);
        let error = of_folder
            .read_one("nowhere", "reward")
            .unwrap_err()
            .to_string();
        assert!(error.contains("no run `nowhere`"), "{error}");
    }
}
