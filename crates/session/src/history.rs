//! A benchmark over months: its runs, or the revisions of a results table, in the order of time or of commits.

use crate::error::SessionError;
use crate::report_data::read_environment;
use crate::revision::{FileAt, git};
use crate::session::Session;
use fairtrial_analysis::Dataset;
use fairtrial_analysis::history::{
    AskedLines, BenchmarkHistory, ChangeKind, LeftOutRun, NoReading, RunReading, SinceAnswer,
    SinceWord, arrange,
};
use fairtrial_journal::{RunDir, list_runs};
use fairtrial_model::Stamp;
use fairtrial_process::git::Git;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Runs that are needed to see a change of level.
const SIGHT: usize = 3;

/// In what order the runs of a history stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HistoryOrder {
    /// By the time of the run.
    #[default]
    Time,
    /// By the place of its commit in the repository.
    Commit,
}

/// What a history is asked for.
#[derive(Debug, Clone, Default)]
pub struct HistoryQuestion {
    /// The benchmark, or a results table (`FILE.csv`).
    pub name: String,
    /// Which lines.
    pub asked: AskedLines,
    /// The order of the runs.
    pub order: HistoryOrder,
    /// Only runs of this branch.
    pub branch: Option<String>,
    /// Only runs on the machine of this name.
    pub machine: Option<String>,
    /// A revision, a day or a run: whether something changed after it.
    pub since: Option<String>,
}

/// After what a change counts.
enum Since {
    Stamp(Stamp),
    /// Commits that were there already.
    Commits(HashSet<String>),
}

impl Session {
    /// Every finished run of a benchmark as a point, and where levels changed.
    pub fn history(&self, question: &HistoryQuestion) -> Result<BenchmarkHistory, SessionError> {
        let path = Path::new(&question.name);
        let is_table = path
            .extension()
            .is_some_and(|ending| ending == "csv" || ending == "tsv");
        let since = question
            .since
            .as_deref()
            .map(|since| self.since(since))
            .transpose()?;
        let (mut runs, mut left_out) = if is_table {
            table_readings(&question.name)?
        } else {
            self.run_readings(&question.name)?
        };
        let wanted =
            |wanted: &Option<String>, own: &Option<String>| wanted.is_none() || wanted == own;
        runs.retain(|run| {
            wanted(&question.branch, &run.branch) && wanted(&question.machine, &run.host)
        });
        if question.order == HistoryOrder::Commit && !is_table {
            runs = self.by_commit(runs, &mut left_out)?;
        }
        let mut history = arrange(&question.name, &runs, (&question.asked, left_out))?;
        self.count_commits(&mut history);
        if let (Some(since), Some(name)) = (since, &question.since) {
            history.since = Some(answer(&history, &since, (name, &runs)));
        }
        Ok(history)
    }

    /// The finished runs of a benchmark, oldest first.
    fn run_readings(&self, name: &str) -> Result<(Vec<RunReading>, Vec<LeftOutRun>), SessionError> {
        // Says what is near where there is no such run.
        let known = self.known_run(name)?;
        let all = list_runs(known.root())?.into_iter();
        let mut all: Vec<RunDir> = all.filter(|run| run.name() == known.name()).collect();
        all.sort_by_key(RunDir::stamp);
        let read = |run: &RunDir| {
            let environment = read_environment(run).ok().flatten();
            RunReading::of_run(run, environment.as_ref())
        };
        let read: Vec<_> = all.par_iter().map(read).collect();
        let (mut runs, mut left_out) = (Vec::new(), Vec::new());
        for (run, reading) in all.iter().zip(read) {
            let why = match reading {
                Ok(reading) => {
                    runs.push(reading);
                    continue;
                }
                Err(NoReading::Skipped(why)) => why,
                Err(NoReading::Failed(error)) => error.to_string(),
            };
            left_out.push(LeftOutRun {
                run: run.stamp().to_string(),
                why,
            });
        }
        Ok((runs, left_out))
    }

    /// The runs in the order of their commits; those of a commit that is not here are left out.
    fn by_commit(
        &self,
        runs: Vec<RunReading>,
        left_out: &mut Vec<LeftOutRun>,
    ) -> Result<Vec<RunReading>, SessionError> {
        let commits = self.commits(&["--topo-order", "--reverse", "--all", "HEAD"])?;
        let places: HashMap<&str, usize> = commits.iter().map(String::as_str).zip(0..).collect();
        let mut placed = Vec::new();
        for run in runs {
            let place = run.commit.as_deref().and_then(|commit| places.get(commit));
            match place {
                Some(place) => placed.push((*place, run)),
                None => left_out.push(LeftOutRun {
                    run: run.run,
                    why: match run.commit {
                        Some(commit) => format!("its commit {commit} is not in this repository"),
                        None => "no commit is recorded".to_owned(),
                    },
                }),
            }
        }
        placed.sort_by_key(|(place, run)| (*place, run.stamp));
        Ok(placed.into_iter().map(|(_, run)| run).collect())
    }

    /// Commits as `git rev-list` gives them in the caller's folder.
    fn commits(&self, args: &[&str]) -> Result<Vec<String>, SessionError> {
        let list = Git::look(&self.caller().folder, "rev-list")
            .args(args)
            .output();
        let list = list.map_err(|error| {
            SessionError::Input(format!("the commits are not known here: {error}"))
        })?;
        Ok(String::from_utf8_lossy(&list)
            .lines()
            .map(str::to_owned)
            .collect())
    }

    fn since(&self, text: &str) -> Result<Since, SessionError> {
        let day = text.replace('-', "");
        let is_day = text.len() == 10 && day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit());
        let stamp = if is_day {
            format!("{day}__00-00-00")
        } else {
            text.to_owned()
        };
        if let Ok(stamp) = stamp.parse() {
            return Ok(Since::Stamp(stamp));
        }
        let known = self.commits(&["--end-of-options", text, "--"]);
        known.map(|commits| Since::Commits(commits.into_iter().collect())).map_err(|_| {
            SessionError::Input(format!(
                "`{text}` is no run's stamp, no day (2025-08-24) and no revision of the repository here"
            ))
        })
    }

    /// How many commits lie between the two sides of each change, where git knows them.
    fn count_commits(&self, history: &mut BenchmarkHistory) {
        for change in history.lines.iter_mut().flat_map(|line| &mut line.changes) {
            if let Some((before, after)) = change
                .commit_before
                .as_ref()
                .zip(change.commit_after.as_ref())
            {
                let range = format!("{before}..{after}");
                let count = Git::look(&self.caller().folder, "rev-list");
                let count = count
                    .args(["--count", "--end-of-options", &range, "--"])
                    .line();
                change.commits = count.ok().and_then(|count| count.parse().ok());
            }
        }
    }
}

/// Every revision of a results table in its repository, oldest first, and the file as it is.
fn table_readings(name: &str) -> Result<(Vec<RunReading>, Vec<LeftOutRun>), SessionError> {
    let at = FileAt::of(name);
    let file = at.path.file_name().unwrap_or_default();
    let log = git(&at.path, "log")
        .args(["--format=%H", "--reverse", "--"])
        .args([file])
        .output();
    let log = log.map_err(|error| {
        SessionError::Input(format!("the revisions of {name} are not known: {error}"))
    })?;
    let (mut runs, mut left_out) = (Vec::new(), Vec::new());
    for commit in String::from_utf8_lossy(&log).lines() {
        let of = FileAt {
            path: at.path.clone(),
            revision: Some(commit.to_owned()),
        };
        let text = of
            .read(&at.path)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let data = text.and_then(|text| Ok(Dataset::from_csv(name, &text)?));
        match data {
            Ok(data) => runs.push(RunReading::of_table(commit, &data)),
            Err(error) => left_out.push(LeftOutRun {
                run: commit.get(..10).unwrap_or(commit).to_owned(),
                why: error.to_string(),
            }),
        }
    }
    Ok((runs, left_out))
}

/// Whether the level of any line changed since then.
fn answer(
    history: &BenchmarkHistory,
    since: &Since,
    (name, runs): (&str, &[RunReading]),
) -> SinceAnswer {
    let is_after = |run: &RunReading| match since {
        Since::Stamp(stamp) => run.stamp.is_some_and(|own| own > *stamp),
        Since::Commits(before) => run.commit.as_ref().is_some_and(|own| !before.contains(own)),
    };
    let after: HashSet<&str> = runs
        .iter()
        .filter(|run| is_after(run))
        .map(|run| run.run.as_str())
        .collect();
    let (mut kinds, mut blind) = (Vec::new(), 0);
    for line in &history.lines {
        let is_new = |run: &str| after.contains(run);
        let new = line
            .changes
            .iter()
            .filter(|change| is_new(&line.runs[change.first].run));
        kinds.extend(new.map(|change| change.kind));
        let fresh = line.runs.iter().filter(|run| is_new(&run.run)).count();
        blind += usize::from(fresh < SIGHT || line.runs.len() < history.fewest);
    }
    let word = if kinds.iter().any(|kind| *kind != ChangeKind::Improved) {
        SinceWord::Regressed
    } else if !kinds.is_empty() {
        SinceWord::Improved
    } else if blind == history.lines.len() {
        SinceWord::TooFewRuns
    } else {
        SinceWord::Unchanged
    };
    SinceAnswer {
        since: name.to_owned(),
        word,
        changes: kinds.len(),
        blind,
    }
}
