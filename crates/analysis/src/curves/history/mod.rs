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
mod curve;
mod foreign;
mod histories;
mod locate;
mod trial;

pub use behind::RunBehind;
pub use curve::{History, RecordedNumber};
pub use histories::{ForeignCurves, Histories};

use crate::error::AnalysisError;
use fairtrial_series::{CurveSeries, lines_history};
use locate::Place;
use rayon::prelude::*;
use std::path::PathBuf;
use trial::TrialHead;

impl Histories {
    /// The curves behind run ids, in their order; one id can stand for several trials.
    pub fn read(&mut self, ids: &[String], metric: &str) -> Result<Vec<History>, AnalysisError> {
        let mut found = Vec::new();
        for id in ids {
            if let Some(curves) = self.foreign(id, metric)? {
                found.extend(curves.into_iter().map(Ahead::read));
                continue;
            }
            for place in self.locate(id)? {
                found.push(self.ahead(place, metric)?);
            }
        }
        // Reading files is most of the time that this takes.
        let read = found.into_par_iter().map(|ahead| ahead.history(metric));
        let read: Vec<Result<History, AnalysisError>> = read.collect();
        read.into_iter().collect()
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

    fn ahead(&mut self, place: Place, metric: &str) -> Result<Ahead, AnalysisError> {
        let at = Some(place.canonical());
        let what = match place {
            Place::Table { path, run, id } => {
                let table = self.table(&path)?;
                let found = table.history(&path, run.as_deref(), metric)?;
                What::Read(Box::new(History {
                    arm: found.arm,
                    seed: found.seed,
                    ..History::of(id, CurveSeries::held(found.points))
                }))
            }
            Place::Lines { path, id } => What::Lines { path, id },
            Place::Trial { dir, run, id } => {
                let known = (&mut self.runs, &self.root);
                What::Trial(Box::new(TrialHead::read(known, (&dir, run.as_ref()), id)?))
            }
        };
        Ok(Ahead { at, what })
    }
}

/// A history that is still to be read, as far as it must be read after the others.
struct Ahead {
    at: Option<(PathBuf, Option<String>)>,
    what: What,
}

enum What {
    Read(Box<History>),
    Lines { path: PathBuf, id: String },
    Trial(Box<TrialHead>),
}

impl Ahead {
    fn read(history: History) -> Self {
        Self {
            at: history.place.clone(),
            what: What::Read(Box::new(history)),
        }
    }

    fn history(self, metric: &str) -> Result<History, AnalysisError> {
        let history = match self.what {
            What::Read(history) => *history,
            What::Lines { path, id } => {
                let found = lines_history(&path, metric)?;
                History {
                    seed: found.seed,
                    ..History::of(id, CurveSeries::held(found.points))
                }
            }
            What::Trial(head) => head.history(metric)?,
        };
        Ok(History {
            place: self.at,
            ..history
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Histories, History};
    use fairtrial_journal::DataRoot;
    use std::fs;

    fn values(history: &History) -> Vec<f64> {
        history.series.points().unwrap().values.clone()
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
            (run.id.as_str(), run.seed, values(&run)),
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
        assert_eq!(run.series.points().unwrap().steps, [1.0, 2.0, 3.0]);
        assert_eq!(values(&run)[..2], [2.0, 3.0]);
        assert!(values(&run)[2].is_nan());
    }

    #[test]
    fn bare_ids_are_found_in_the_named_table_or_folder() {
        let (dir, _) = folder();
        let root = DataRoot::at(dir.path().join("data"));
        let mut of_table = Histories::new(root.clone(), Some(dir.path().join("all.csv")));
        assert_eq!(of_table.read_one("b", "reward").unwrap().seed, Some(8));
        let mut of_folder = Histories::new(root, Some(dir.path().to_owned()));
        assert_eq!(of_folder.read_one("one", "reward").unwrap().series.len(), 3);
        let error = of_folder
            .read_one("nowhere", "reward")
            .unwrap_err()
            .to_string();
        assert!(error.contains("no run `nowhere`"), "{error}");
    }
}
