//! Which old runs may go, and why others stay.

use crate::error::SessionError;
use crate::gate::baselines_dir;
use crate::session::Session;
use fairtrial_journal::{
    DataRoot, JournalError, RunDir, RunRow, RunState, RunStatus, Selector, effective_records,
    is_there, list_runs, put_aside, read_if_there, sweep_removed,
};
use fairtrial_model::{Stamp, UtcTime};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

/// Which runs stay in any case. A run goes only where neither rule keeps it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keep {
    /// Those that ended within this time.
    pub newer_than: Option<Duration>,
    /// So many of the newest runs of each benchmark.
    pub last: Option<usize>,
}

/// A run that goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OldRun {
    /// The benchmark.
    pub name: String,
    /// Its stamp.
    pub stamp: String,
    /// How many trials ended in it.
    pub trials: u64,
    /// When it ended, in UTC.
    pub ended_at: Option<UtcTime>,
}

/// An old run that stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StayingRun {
    /// The benchmark.
    pub name: String,
    /// Its stamp.
    pub stamp: String,
    /// Why, in words.
    pub why: String,
}

/// Old runs: those that go, and those that stay although no rule keeps them.
#[derive(Debug, Clone, Serialize)]
pub struct OldRuns {
    /// Whether they were removed.
    pub removed: bool,
    /// Those that go.
    pub go: Vec<OldRun>,
    /// Those that stay.
    pub stay: Vec<StayingRun>,
    /// What could not be removed.
    pub failed: Vec<String>,
    #[serde(skip)]
    runs: Vec<RunDir>,
}

/// A run as the index has it, and where it is.
type Row = (RunRow, RunDir);

impl Session {
    /// The runs that no rule keeps.
    pub fn old_runs(&self, keep: &Keep) -> Result<OldRuns, SessionError> {
        let root = self.data_root();
        let rows = self.runs()?;
        let unread = unreadable_names(&root, &rows)?;
        let (old, mut kept) = self.by_age(rows, keep)?;
        let baselines = saved_baselines(&root)?;
        let mut go: Vec<Row> = Vec::new();
        let mut stay = Vec::new();
        for (row, run) in old {
            let reason = if unread.contains(&row.name) {
                let why = "a run of this name cannot be read, and may hold records of it";
                Some(why.to_owned())
            } else {
                reason_to_stay(&row, &run, &baselines)?
            };
            match reason {
                Some(why) => {
                    stay.push(staying(&row, why));
                    kept.push(run);
                }
                None => go.push((row, run)),
            }
        }
        // Evidence that a staying run took over lies in the folders of the run that made it, which then stays, too.
        while let Some(run) = kept.pop() {
            for stamp in evidence_of(&run)? {
                if let Some(place) = go.iter().position(|(row, _)| row.stamp == stamp) {
                    let (row, needed) = go.remove(place);
                    let why = format!("{} {} holds records of it", run.name(), run.stamp());
                    stay.push(staying(&row, why));
                    kept.push(needed);
                }
            }
        }
        stay.sort_by(|a, b| (&a.name, &a.stamp).cmp(&(&b.name, &b.stamp)));
        Ok(OldRuns {
            removed: false,
            go: go.iter().map(|(row, _)| gone(row)).collect(),
            stay,
            failed: Vec::new(),
            runs: go.into_iter().map(|(_, run)| run).collect(),
        })
    }

    /// The runs that the rules leave, the oldest first, and those that they keep.
    fn by_age(
        &self,
        rows: Vec<RunRow>,
        keep: &Keep,
    ) -> Result<(Vec<Row>, Vec<RunDir>), SessionError> {
        let root = self.data_root();
        let since = keep.newer_than.map(|age| (self.caller().now)().before(age));
        let mut newer: HashMap<String, usize> = HashMap::new();
        let (mut old, mut kept) = (Vec::new(), Vec::new());
        for row in rows.into_iter().rev() {
            let rank = newer.entry(row.name.clone()).or_default();
            *rank += 1;
            let is_last = keep.last.is_some_and(|last| *rank <= last);
            let ended = row.ended_at.or(row.created_at);
            let is_new = since.is_some_and(|since| ended.is_none_or(|ended| ended >= since));
            let run = RunDir::open(&root, &row.name, Selector::Stamp(row.stamp))?;
            if is_last || is_new {
                kept.push(run);
            } else {
                old.push((row, run));
            }
        }
        old.reverse();
        Ok((old, kept))
    }
}

impl OldRuns {
    /// Removes them; what could not be removed is in [`OldRuns::failed`]. A removal that was cut off before is finished, too.
    pub fn remove(&mut self, session: &Session) {
        self.removed = true;
        let now = (session.caller().now)();
        let mut failed = Vec::new();
        for run in &self.runs {
            if let Err(error) = put_aside(run, now) {
                failed.push(format!("{} {}: {error}", run.name(), run.stamp()));
            }
        }
        let swept = sweep_removed(&session.data_root());
        failed.extend(swept.err().map(|error| error.to_string()));
        self.failed = failed;
    }
}

/// Benchmarks with runs that began and are not among these: they cannot be read, as those of a later version.
fn unreadable_names(root: &DataRoot, rows: &[RunRow]) -> Result<HashSet<String>, SessionError> {
    let readable: HashSet<Stamp> = rows.iter().map(|row| row.stamp).collect();
    let mut names = HashSet::new();
    for run in list_runs(root)? {
        if !readable.contains(&run.stamp()) && run.is_begun()? {
            names.insert(run.name().to_owned());
        }
    }
    Ok(names)
}

fn gone(row: &RunRow) -> OldRun {
    OldRun {
        name: row.name.clone(),
        stamp: row.stamp.to_string(),
        trials: row.counts.total(),
        ended_at: row.ended_at,
    }
}

fn staying(row: &RunRow, why: String) -> StayingRun {
    StayingRun {
        name: row.name.clone(),
        stamp: row.stamp.to_string(),
        why,
    }
}

/// Why a run is never removed by its age.
fn reason_to_stay(
    row: &RunRow,
    run: &RunDir,
    baselines: &[(String, String)],
) -> Result<Option<String>, SessionError> {
    let stamp = row.stamp.to_string();
    let baseline = baselines.iter().find(|(_, head)| head.contains(&stamp));
    Ok(if row.live {
        Some("somebody works on it".to_owned())
    } else if row.status == Some(RunStatus::Detached) {
        Some("a scheduler may still work on it".to_owned())
    } else if row.status.is_none() {
        Some("it was cut off: `run --resume` finishes it, `cancel` ends it".to_owned())
    } else if let Err(error) = run.readable() {
        Some(error.to_string())
    } else if is_there(&run.registration())? {
        Some("it was run with a registered plan".to_owned())
    } else {
        baseline.map(|(name, _)| format!("the baseline `{name}` was made of it"))
    })
}

/// The baselines that are kept in the data root: their names, and the line that says what each was made of.
fn saved_baselines(root: &DataRoot) -> Result<Vec<(String, String)>, SessionError> {
    let folder = baselines_dir(root);
    let entries = match std::fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(&folder, &error)),
        Ok(entries) => entries,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(&folder, &error))?.path();
        let text = read_if_there(&path)?.unwrap_or_default();
        let head = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        found.push((
            name.into_owned(),
            String::from_utf8_lossy(head).into_owned(),
        ));
    }
    Ok(found)
}

fn unreadable(path: &Path, error: &std::io::Error) -> SessionError {
    SessionError::Machine(format!("cannot read {}: {error}", path.display()))
}

/// The runs in whose folders the evidence of a run lies, besides itself.
fn evidence_of(run: &RunDir) -> Result<HashSet<Stamp>, SessionError> {
    let mut found = HashSet::new();
    // Where the first line is damaged, what it said is not known.
    let takes_over = run
        .opened()?
        .is_none_or(|opened| opened.takes_over.is_some());
    if takes_over {
        let state = RunState::read(&run.journal())?;
        effective_records(&run.journal(), &state, |record| {
            let folder = record.dir.rsplit('/').next().unwrap_or_default();
            let made_by = DataRoot::trial_named(folder).map(|(stamp, _)| stamp);
            found.extend(made_by.filter(|stamp| *stamp != run.stamp()));
            Ok::<(), JournalError>(())
        })?;
    }
    Ok(found)
}
