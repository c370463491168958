//! From what a user typed to the place where a history lies.

use super::histories::Histories;
use crate::error::AnalysisError;
use fairtrial_journal::{
    JournalError, RECORD_NAME, RunDir, RunState, Selector, effective_records, home_in,
};
use fairtrial_model::{Record, Stamp};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where one history lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// In a table, under a run's name where the table has several.
    Table {
        path: PathBuf,
        run: Option<String>,
        id: String,
    },
    /// In a file of JSON lines.
    Lines { path: PathBuf, id: String },
    /// In a trial's directory; its run, where that was asked for.
    Trial {
        dir: PathBuf,
        run: Option<RunDir>,
        id: String,
    },
}

impl Place {
    /// The one name of the place, however it was written; as written where the system does not say.
    pub(super) fn canonical(&self) -> (PathBuf, Option<String>) {
        let (path, run) = match self {
            Self::Table { path, run, .. } => (path, run.clone()),
            Self::Lines { path, .. } => (path, None),
            Self::Trial { dir, .. } => (dir, None),
        };
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        (path, run)
    }
}

impl Histories {
    pub(super) fn locate(&mut self, id: &str) -> Result<Vec<Place>, AnalysisError> {
        if let Some((file, run)) = id.split_once('#')
            && Path::new(file).is_file()
        {
            return Ok(vec![Place::Table {
                path: file.into(),
                run: Some(run.to_owned()),
                id: run.to_owned(),
            }]);
        }
        let path = Path::new(id);
        if path.is_file() {
            return Ok(vec![file_place(path, id)]);
        }
        if path.join(RECORD_NAME).is_file() || self.runs.packed(&self.root, path)?.is_some() {
            return Ok(vec![Place::Trial {
                dir: path.to_owned(),
                run: None,
                id: id.trim_end_matches('/').to_owned(),
            }]);
        }
        if let Some(place) = self.in_from(id)? {
            return Ok(vec![place]);
        }
        let dir = self.root.runs_dir().join(id);
        let trial = format!("runs/{id}");
        let archived = home_in(&self.root, &trial).join(trial);
        let is_packed = self.runs.packed(&self.root, &dir)?.is_some();
        let dir = if archived.is_dir() { archived } else { dir };
        let is_here = is_packed || dir.join(RECORD_NAME).is_file();
        if !id.is_empty() && is_here {
            return Ok(vec![Place::Trial {
                dir,
                run: None,
                id: id.to_owned(),
            }]);
        }
        self.trials_of_run(id)?.ok_or_else(|| self.not_found(id))
    }

    /// In the table or folder that the user named.
    fn in_from(&mut self, id: &str) -> Result<Option<Place>, AnalysisError> {
        let Some(from) = self.from.clone() else {
            return Ok(None);
        };
        if from.is_dir() {
            let files = ["csv", "jsonl"].map(|extension| from.join(format!("{id}.{extension}")));
            let found = files.iter().find(|file| file.is_file());
            return Ok(found.map(|file| file_place(file, id)));
        }
        let known = self.table(&from)?.has_run(id);
        Ok(known.then(|| Place::Table {
            path: from,
            run: Some(id.to_owned()),
            id: id.to_owned(),
        }))
    }

    /// The trials of `NAME[/STAMP][:ARM[:SEED]]`, in seed order; `None` where there is no such run.
    fn trials_of_run(&mut self, id: &str) -> Result<Option<Vec<Place>>, AnalysisError> {
        let mut parts = id.splitn(3, ':');
        let rest = parts.next().unwrap_or_default();
        // `NAME::SEED` is a seed of a run without arms.
        let arm = parts.next().filter(|arm| !arm.is_empty());
        let seed = parts.next();
        let (name, selector) = match rest.rsplit_once('/') {
            Some((name, stamp)) => match stamp.parse::<Stamp>() {
                Ok(stamp) => (name, Selector::Stamp(stamp)),
                Err(_) => return Ok(None),
            },
            None => (rest, Selector::Latest),
        };
        let wanted = |record: &Record| {
            let key = &record.trial;
            let only = self.only.as_ref();
            only.is_none_or(|only| only.matches(key, &key.point))
                && arm.is_none_or(|arm| key.arm.as_deref() == Some(arm))
                && seed.is_none_or(|seed| seed == key.seed.to_string())
        };
        let run = match RunDir::open(&self.root, name, selector) {
            Err(JournalError::NoSuchRun { .. } | JournalError::Name(_)) => return Ok(None),
            found => found?,
        };
        if selector == Selector::Latest && !self.newest.contains(&run) {
            self.newest.push(run.clone());
        }
        let (mut records, mut arms) = (Vec::new(), BTreeSet::new());
        let state = RunState::read(&run.journal())?;
        effective_records(&run.journal(), &state, |record| {
            arms.extend(record.trial.arm.clone());
            if wanted(&record) {
                records.push(record);
            }
            Ok::<(), AnalysisError>(())
        })?;
        if records.is_empty() {
            let of = arm.map_or(String::new(), |arm| format!(" of arm `{arm}`"));
            let with = seed.map_or(String::new(), |seed| format!(" with seed {seed}"));
            let unknown = arm.is_some_and(|arm| !arms.contains(arm));
            let there = match arms.into_iter().collect::<Vec<_>>() {
                arms if unknown && !arms.is_empty() => {
                    format!("; its arms are {}", arms.join(", "))
                }
                _ if self.only.is_some() => " that --only lets pass".to_owned(),
                _ => String::new(),
            };
            return Err(AnalysisError::Question(format!(
                "the run {} {} has no trials{of}{with}{there}",
                run.name(),
                run.stamp()
            )));
        }
        // Of another tool's numbers without curves there is no folder.
        if state.opened.as_ref().is_some_and(|opened| opened.imported)
            && records.iter().all(|record| record.dir.is_empty())
        {
            return Err(AnalysisError::Question(format!(
                "the run {} {} was imported without curves: its trials have one number of each metric, which `compare`, \
                 `power` and `summarize` take",
                run.name(),
                run.stamp()
            )));
        }
        records.sort_by_key(|record| (record.trial.seed, record.trial.rollout, record.trial.index));
        Ok(Some(
            records
                .iter()
                .map(|record| trial_place(&run, record))
                .collect(),
        ))
    }

    fn not_found(&self, id: &str) -> AnalysisError {
        let also = self
            .from
            .as_ref()
            .map_or(String::new(), |from| format!(", not in {}", from.display()));
        let file = if Path::new(id).exists() {
            "nothing that can be read here lies there"
        } else {
            "no such file"
        };
        AnalysisError::Question(format!(
            "there is no run `{id}`: {file}{also}, and no trial or benchmark of that name under {}",
            self.root.path().display()
        ))
    }
}

fn trial_place(run: &RunDir, record: &Record) -> Place {
    let id = record.dir.rsplit('/').next().unwrap_or(&record.dir);
    Place::Trial {
        id: id.to_owned(),
        run: Some(run.clone()),
        dir: run.folder_of(&record.dir),
    }
}

fn file_place(path: &Path, id: &str) -> Place {
    let lines = path
        .extension()
        .is_some_and(|extension| extension == "jsonl" || extension == "ndjson");
    if lines {
        Place::Lines {
            path: path.to_owned(),
            id: id.to_owned(),
        }
    } else {
        Place::Table {
            path: path.to_owned(),
            run: None,
            id: id.to_owned(),
        }
    }
}
