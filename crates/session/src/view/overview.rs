//! What a run is doing, in what fits on one screen.

use super::row::TrialRow;
use super::run_view::RunView;
use crate::error::SessionError;
use fairtrial_journal::{Holder, Liveness, OutcomeCounts, RunStatus, is_live, pause_requested};
use fairtrial_model::{Direction, Outcome, Stamp, UtcTime};
use serde::Serialize;
use std::collections::BTreeSet;

/// Trials in flight, waiting and failed that are listed.
const LISTED: usize = 64;
const WAITING: usize = 8;
const FAILED: usize = 20;

/// A run at a glance.
#[derive(Debug, Serialize)]
pub struct RunOverview {
    /// The benchmark.
    pub name: String,
    /// The run.
    pub stamp: Stamp,
    /// `running`, `paused`, how it was closed, or `cut off`.
    pub status: &'static str,
    /// Whether a controller has it.
    pub live: bool,
    /// Whether it was asked to start nothing for now.
    pub paused: bool,
    /// The controller, as far as it is written down.
    pub controller: Option<Holder>,
    /// The spec's file as it was typed.
    pub config: Option<String>,
    /// Free text of the spec.
    pub notes: String,
    /// Free tags of the spec.
    pub tags: Vec<String>,
    /// When it was begun.
    pub created_at: Option<UtcTime>,
    /// When it was closed.
    pub ended_at: Option<UtcTime>,
    /// Trials of the plan.
    pub trials: u64,
    /// Outcomes so far.
    pub counts: OutcomeCounts,
    /// How many run at once; absent where a scheduler decides that.
    pub slots: Option<usize>,
    /// The trials that run.
    pub in_flight: Vec<Flight>,
    /// How many run.
    pub running: usize,
    /// The next ones in the order of the plan.
    pub next: Vec<Waiting>,
    /// How many have not begun.
    pub waiting: u64,
    /// The newest failures, the newest first.
    pub failed: Vec<TrialRow>,
    /// Seconds that are left at the pace so far.
    pub left_s: Option<f64>,
    /// Mean wall seconds of an attempt.
    pub mean_wall_s: Option<f64>,
    /// The metrics.
    pub metrics: Vec<MetricFact>,
    /// The arms.
    pub arms: Vec<String>,
    /// The tasks.
    pub tasks: Vec<String>,
    /// What is wrong with its files.
    pub problems: Vec<String>,
    /// How far its journal was read.
    pub version: u64,
}

/// A trial that runs.
#[derive(Debug, Serialize)]
pub struct Flight {
    /// The trial.
    pub trial: u64,
    /// In words.
    pub label: String,
    /// Which attempt.
    pub attempt: u32,
    /// Seconds since its folder was made, where that is known.
    pub elapsed_s: Option<f64>,
}

/// A trial that has not begun.
#[derive(Debug, Serialize)]
pub struct Waiting {
    /// The trial.
    pub trial: u64,
    /// In words.
    pub label: String,
}

/// What a metric is.
#[derive(Debug, Serialize)]
pub struct MetricFact {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: Option<String>,
    /// Which way is better.
    pub direction: Option<Direction>,
    /// Whether the verdict is about it.
    pub primary: bool,
}

impl RunView {
    /// Whether a controller has the run now.
    pub fn is_live(&self) -> Result<bool, SessionError> {
        Ok(is_live(&self.run)?.is_live())
    }

    /// The run at a glance.
    pub fn overview(&self) -> Result<RunOverview, SessionError> {
        let standing = is_live(&self.run)?;
        let live = standing.is_live();
        let paused = live && pause_requested(&self.run);
        let opened = self.state.opened.as_ref();
        let closed = self.state.closed().filter(|_| !live);
        let spec = self.spec.as_deref();
        let in_flight: Vec<&TrialRow> = self
            .rows
            .iter()
            .filter(|row| row.in_flight && live)
            .collect();
        let waiting = || {
            self.rows
                .iter()
                .filter(|row| row.attempts == 0 && row.outcome.is_none())
        };
        let slots = opened.filter(|_| self.state.batches.is_empty());
        let mean_wall_s = self.state.times.mean();
        let open = self.trials().saturating_sub(self.state.counts.total());
        let pace = mean_wall_s.zip(slots.map(|opened| opened.parallel.max(1)));
        let left = pace.map(|(mean, slots)| mean * open as f64 / slots as f64);
        Ok(RunOverview {
            name: self.run.name().to_owned(),
            stamp: self.run.stamp(),
            status: match closed {
                _ if paused => "paused",
                _ if live => "running",
                Some((_, status)) => status.word(),
                None => "cut off",
            },
            live,
            paused,
            controller: match standing {
                Liveness::Live(holder) => holder,
                Liveness::Idle => None,
            },
            config: opened.map(|opened| opened.config.clone()),
            notes: spec.map(|spec| spec.notes.clone()).unwrap_or_default(),
            tags: spec.map(|spec| spec.tags.clone()).unwrap_or_default(),
            created_at: opened.map(|opened| opened.created_at),
            ended_at: closed.map(|(at, _)| at),
            trials: self.trials(),
            counts: self.state.counts,
            slots: slots.map(|opened| opened.parallel),
            running: in_flight.len(),
            in_flight: in_flight
                .into_iter()
                .take(LISTED)
                .map(|row| self.flight(row))
                .collect(),
            next: waiting()
                .take(WAITING)
                .map(|row| Waiting {
                    trial: row.trial,
                    label: row.label(),
                })
                .collect(),
            waiting: waiting().count() as u64,
            failed: self.failed(),
            left_s: left.filter(|_| live && !paused && open > 0),
            mean_wall_s,
            metrics: self.metric_facts(),
            arms: self.known(
                |row| row.arm.as_deref().unwrap_or_default(),
                |spec| spec.arms.iter().map(|arm| arm.name.clone()).collect(),
            ),
            tasks: self.known(
                |row| &row.task,
                |spec| {
                    let ids = spec.tasks.iter().map(|task| task.id.clone());
                    let mut ids: Vec<String> = ids.collect();
                    ids.dedup();
                    ids
                },
            ),
            problems: self.problems(closed.map(|(_, status)| status)),
            version: self.version(),
        })
    }

    /// What is wrong with the run's files. A last line that is not finished is being written where the run lives.
    fn problems(&self, closed: Option<RunStatus>) -> Vec<String> {
        let mut problems: Vec<String> = self.unreadable.clone();
        let live = self.is_live().unwrap_or(false);
        let torn = self.state.summary.torn.is_some() && live;
        let mut said: Vec<String> = self.state.problem_sentences().collect();
        if torn {
            said.pop();
        }
        problems.extend(said);
        if self.state.mixes_code {
            problems.push(
                "Its trials ran different versions of the code: `fairtrial summarize` names them."
                    .to_owned(),
            );
        }
        if closed.is_none() && !live && self.state.opened.is_some() {
            problems.push("Its controller is gone and did not close it: `fairtrial run SPEC --resume` resumes it.".to_owned());
        }
        problems
    }

    fn flight(&self, row: &TrialRow) -> Flight {
        let dir = self.run.trial_dir(row.trial, row.attempts);
        let made = std::fs::metadata(dir).and_then(|data| data.created());
        let elapsed = made.ok().and_then(|made| made.elapsed().ok());
        Flight {
            trial: row.trial,
            label: row.label(),
            attempt: row.attempts,
            elapsed_s: elapsed.map(|elapsed| elapsed.as_secs_f64()),
        }
    }

    fn failed(&self) -> Vec<TrialRow> {
        let failed = |row: &&TrialRow| {
            let outcome = row.outcome;
            outcome.is_some_and(|it| !matches!(it, Outcome::Ok | Outcome::Skipped))
        };
        let mut failed: Vec<&TrialRow> = self.rows.iter().filter(failed).collect();
        failed.sort_by_key(|row| std::cmp::Reverse(row.ended_at));
        failed.into_iter().take(FAILED).cloned().collect()
    }

    /// The trials that ended last, the newest first.
    pub fn newest_ends(&self, most: usize) -> Vec<&TrialRow> {
        let ended = self.rows.iter().filter(|row| row.ended_at.is_some());
        let mut ended: Vec<&TrialRow> = ended.collect();
        ended.sort_by_key(|row| std::cmp::Reverse(row.ended_at));
        ended.truncate(most);
        ended
    }

    fn metric_facts(&self) -> Vec<MetricFact> {
        let spec = self.spec.as_deref();
        let primary = spec.and_then(|spec| spec.primary_metric());
        let declared = |name: &String| spec?.metrics.iter().find(|metric| metric.name == *name);
        let fact = |name: &String| MetricFact {
            name: name.clone(),
            unit: declared(name).and_then(|metric| metric.unit.clone()),
            direction: declared(name).and_then(|metric| metric.direction),
            primary: primary == Some(name),
        };
        self.metrics.iter().map(fact).collect()
    }

    /// Names that the spec has, or, without one, those that the records have.
    fn known(
        &self,
        of_row: impl Fn(&TrialRow) -> &str,
        of_spec: impl Fn(&fairtrial_spec::Spec) -> Vec<String>,
    ) -> Vec<String> {
        let declared = self.spec.as_deref().map(of_spec).unwrap_or_default();
        if !declared.is_empty() {
            return declared;
        }
        let met: BTreeSet<&str> = self.rows.iter().map(of_row).collect();
        let named = met.into_iter().filter(|name| !name.is_empty());
        named.take(LISTED).map(str::to_owned).collect()
    }
}

impl TrialRow {
    /// Who it is: `train · candidate · lr=0.001 · seed 1072`.
    pub fn label(&self) -> String {
        let mut parts = vec![self.task.clone()];
        parts.extend(self.arm.clone());
        parts.extend(Some(self.point.clone()).filter(|point| !point.is_empty()));
        parts.push(format!("seed {}", self.seed));
        if self.rollout > 0 {
            parts.push(format!("rollout {}", self.rollout));
        }
        parts.join(" · ")
    }
}
