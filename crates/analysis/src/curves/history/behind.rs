//! The runs behind trials: how they declare metrics, and what a reader must know before trusting a verdict on them.

use crate::dataset::Dataset;
use crate::error::AnalysisError;
use crate::ran_code::CodeMixture;
use fairtrial_journal::{
    DataRoot, RecordFile, ResolvedSpecError, RunDir, RunState, resolved_spec, run_with_stamp,
};
use fairtrial_model::{Record, Stamp};
use fairtrial_spec::Spec;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `compare` would say about a run before its numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunBehind {
    /// Its name and stamp.
    pub label: String,
    /// The metric by which it stopped, where it did by looking.
    pub looked_at: Option<String>,
    /// What is wrong with it: it is not finished, seeds were added after a look, the journal is damaged.
    pub problems: Vec<String>,
    /// Trials that ran different code, by their task: of one arm, and of all arms together.
    pub mixed: BTreeMap<ArmOfTask, CodeMixture>,
    /// Whether somebody accepted that.
    pub accepts_code: bool,
}

/// A task and one of its arms, or all of them.
type ArmOfTask = (String, Option<String>);

/// A run's spec and what is known of it.
pub(super) type Known = Option<(Arc<Spec>, Arc<RunBehind>)>;

/// The runs that trials belong to, each read once.
#[derive(Debug, Default)]
pub(super) struct Runs {
    known: HashMap<PathBuf, Known>,
    by_stamp: HashMap<Stamp, Option<RunDir>>,
    states: HashMap<Stamp, RunState>,
}

impl Runs {
    /// The run that was asked for by name, else the one that the trial's directory was made by. Absent where that is
    /// gone. A spec that is there and cannot be used, for whatever reason, is an error: without it nobody knows which way
    /// of the metric is better.
    pub(super) fn of(
        &mut self,
        root: &DataRoot,
        dir: &Path,
        asked: Option<&RunDir>,
    ) -> Result<Known, AnalysisError> {
        let run = match (asked, stamp_of(dir)) {
            (Some(run), _) => run.clone(),
            (None, Some(stamp)) => match self.made(root, stamp)? {
                Some(run) => run,
                None => return Ok(None),
            },
            (None, None) => return Ok(None),
        };
        if let Some(known) = self.known.get(run.path()) {
            return Ok(known.clone());
        }
        let known = read(&run)?;
        self.known.insert(run.path().to_owned(), known.clone());
        Ok(known)
    }

    /// The record of a trial whose files are packed, by the folder that it would have; absent for any other.
    pub(super) fn packed(
        &mut self,
        root: &DataRoot,
        dir: &Path,
    ) -> Result<Option<Record>, AnalysisError> {
        let name = dir.file_name().and_then(OsStr::to_str).unwrap_or_default();
        // A folder of another place may have such a name, too.
        let is_here = absolute(dir).parent() == Some(&absolute(&root.runs_dir()))
            && !dir.join("logs").exists();
        let Some((stamp, index)) = DataRoot::trial_named(name).filter(|_| is_here) else {
            return Ok(None);
        };
        let Some(run) = self.made(root, stamp)? else {
            return Ok(None);
        };
        let state = match self.states.entry(stamp) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(RunState::read(&run.journal())?),
        };
        let trial = state.trial(index);
        let record = RecordFile::open(&run.journal())?.record(&trial)?;
        Ok(record.filter(|record| record.packed.is_some() && record.dir.ends_with(name)))
    }

    fn made(&mut self, root: &DataRoot, stamp: Stamp) -> Result<Option<RunDir>, AnalysisError> {
        if let Some(known) = self.by_stamp.get(&stamp) {
            return Ok(known.clone());
        }
        let found = run_with_stamp(root, stamp)?;
        self.by_stamp.insert(stamp, found.clone());
        Ok(found)
    }
}

fn read(run: &RunDir) -> Result<Known, AnalysisError> {
    let spec = match resolved_spec(run) {
        Err(ResolvedSpecError::Absent(_)) => return Ok(None),
        known => known?,
    };
    let behind = match Dataset::from_run(run, &spec, None) {
        Ok(data) => RunBehind {
            mixed: mixtures(&data),
            accepts_code: data.accepts_code,
            label: data.label,
            looked_at: data.looked_at,
            problems: data.problems,
        },
        // Its trials can be read without it, but nobody knows whether they are all.
        Err(error) => RunBehind {
            label: format!("{} {}", run.name(), run.stamp()),
            looked_at: None,
            problems: vec![error.to_string()],
            ..RunBehind::default()
        },
    };
    Ok(Some((Arc::new(spec), Arc::new(behind))))
}

fn mixtures(data: &Dataset) -> BTreeMap<ArmOfTask, CodeMixture> {
    let mut ran: BTreeMap<ArmOfTask, Vec<(u32, u64)>> = BTreeMap::new();
    for trial in &data.trials {
        let task = data.tasks.get(trial.task);
        let arm = data.arms.get(trial.arm);
        let own = trial.code.map(|state| (state, trial.index));
        for arm in [&None, arm] {
            let of_arm = ran.entry((task.clone(), arm.clone())).or_default();
            of_arm.extend(own);
        }
    }
    let found = ran.into_iter().filter_map(|(of, mut ran)| {
        ran.dedup();
        Some((of, data.code.mixture(ran.into_iter())?))
    });
    found.collect()
}

/// The run of a trial directory, `<stamp>-<index>[-attemptN]`.
fn stamp_of(dir: &Path) -> Option<Stamp> {
    let name = dir.file_name()?.to_str()?;
    let name = name.rsplit_once("-attempt").map_or(name, |(name, _)| name);
    name.rsplit_once('-')?.0.parse().ok()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
