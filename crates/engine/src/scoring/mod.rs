//! Scores what the rollouts of a run left, again, without running an agent. The new records follow the old ones in the
//! journal; what the agent did stays as it was.

mod jobs;
mod keep;

use crate::error::EngineError;
use crate::strays;
use fairtrial_agent::rollout::{Report, SCORING, agent_trouble};
use fairtrial_agent::score::AGENT_METRICS;
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{
    Durability, JournalError, RunDir, RunLock, RunState, effective_records, resolved_spec, views,
};
use fairtrial_model::{
    BROKEN_FACT, CAUSE_FACT, Cause, MetricDeclaration, NOTES_FACT, Number, Outcome, Record, UtcTime,
};
use fairtrial_spec::Work;
use jobs::{ScoreJob, Scorings};
use keep::Keeper;
use serde::Serialize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is scored again, and by what.
#[derive(Debug, Clone, Copy)]
pub struct ScoreRequest<'a> {
    /// The run.
    pub run: &'a RunDir,
    /// This very program.
    pub program: &'a Path,
    /// The caller's environment.
    pub environment: &'a [(String, String)],
    /// How many at the same time.
    pub slots: usize,
    /// The clock.
    pub now: fn() -> UtcTime,
}

/// One rollout, scored or not: the keys of the original first.
#[derive(Debug, Clone, Serialize)]
pub struct Rescored {
    /// Its directory as other tools see it.
    pub run_dir: String,
    /// The task's folder.
    pub task_dir: String,
    /// 0 where it was scored, 1 where there is nothing to score, 3 where scoring failed.
    pub eval_rc: i32,
    /// `ok`, `not_run`, `infra` (its agent was kept from its work) or `failed`.
    pub status: &'static str,
    /// The score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The new record, until it is kept.
    #[serde(skip)]
    record: Option<Record>,
    /// Whether there was one.
    #[serde(skip)]
    is_new: bool,
}

impl Rescored {
    /// Whether its old score stands although it has something to score.
    fn is_missed(&self) -> bool {
        self.status == "failed" && !self.is_new
    }
}

/// Scores the rollouts of a run again; nothing is done, and nothing given, where it has none.
pub fn score_again(request: &ScoreRequest<'_>) -> Result<Vec<Rescored>, EngineError> {
    let run = request.run;
    let spec = resolved_spec(run)?;
    let _lock = RunLock::acquire(run, (request.now)())?;
    strays::end_of(run);
    let state = RunState::read(&run.journal())?;
    let mut rollouts = Vec::new();
    effective_records(&run.journal(), &state, |record: Record| {
        let dir = spec.tasks.iter().find_map(|task| match &task.work {
            Work::Prepared { dir, .. } if task.id == record.trial.task => Some(dir.clone()),
            _ => None,
        });
        rollouts.extend(dir.map(|dir| (record, dir)));
        Ok::<(), JournalError>(())
    })?;
    if rollouts.is_empty() {
        return Ok(Vec::new());
    }
    let environment = request.environment;
    let scorings = Scorings::new(run, &state, spec.clone(), request.program, environment)?;
    let variables = environment.iter().map(|(name, value)| (name, value));
    let redactor = Redactor::from_env(variables);
    let keeper = Keeper::begin(run, (request.now)())?;
    let rescored = score_all(&scorings, &rollouts, &redactor, &keeper, request.slots);
    let missed = rescored.iter().filter(|one| one.is_missed()).count();
    keeper.close(&state, missed, (request.now)())?;
    views::write_all(run, &spec, Durability::Content)?;
    Ok(rescored)
}

fn score_all(
    scorings: &Scorings,
    rollouts: &[(Record, String)],
    redactor: &Redactor,
    keeper: &Keeper<'_>,
    slots: usize,
) -> Vec<Rescored> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let work = || {
            while let Some((record, dir)) = rollouts.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut one = score(scorings, record, dir, redactor);
                if let Some(new) = one.record.take() {
                    keeper.keep(record.outcome, new);
                    one.is_new = true;
                }
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.push((record.trial.index, one));
            }
        };
        // This thread is one of them; where no other can be had, it is the only one.
        for _ in 1..slots.clamp(1, rollouts.len()) {
            if std::thread::Builder::new()
                .spawn_scoped(scope, work)
                .is_err()
            {
                break;
            }
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, one)| one).collect()
}

fn score(scorings: &Scorings, record: &Record, dir: &str, redactor: &Redactor) -> Rescored {
    let unscored = |eval_rc, status, why: &str| Rescored {
        run_dir: scorings.outward(record),
        task_dir: dir.to_owned(),
        eval_rc,
        status,
        score: None,
        error: Some(redactor.redact(why).into_owned()),
        record: None,
        is_new: false,
    };
    let job = match scorings.job(record) {
        Ok(Some(job)) => job,
        Ok(None) => {
            let why = format!("its agent did not run ({})", record.outcome);
            return unscored(1, "not_run", &why);
        }
        Err(error) => return unscored(1, "failed", &error.to_string()),
    };
    if let Some(trouble) = agent_trouble(&scorings.dir(record)) {
        return Rescored {
            record: kept_out(record, &trouble),
            ..unscored(1, "infra", &format!("not scored: {trouble}"))
        };
    }
    let report = match run_job(&job) {
        Ok(report) => report,
        Err(message) => return unscored(3, "failed", &message),
    };
    let mut record = record.clone();
    apply(&mut record, &report, scorings.declared());
    record.metrics.extend(scorings.elsewhere(&record));
    redactor.redact_record(&mut record);
    let row = match &record.cause {
        Some(cause) if record.outcome == Outcome::Infra => {
            unscored(3, "failed", &cause.to_string())
        }
        _ => Rescored {
            score: record.metrics.get("score").map(|score| score.0),
            error: None,
            ..unscored(0, "ok", "")
        },
    };
    Rescored {
        record: Some(record),
        ..row
    }
}

fn run_job(job: &ScoreJob) -> Result<Report, String> {
    let (program, arguments) = job.argv.split_first().ok_or("no command")?;
    let output = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(job.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        // One that was killed says nothing itself.
        let said = String::from_utf8_lossy(&output.stderr);
        let said = [&output.status.to_string(), said.trim()].join(": ");
        return Err(format!(
            "scoring ended early ({})",
            said.trim_end_matches(": ")
        ));
    }
    let report = serde_json::from_slice(&output.stdout);
    report.map_err(|error| format!("scoring gave no report: {error}"))
}

/// The record of a rollout whose agent the provider or the machine kept from its work: nothing that scoring finds can
/// change that. Present where the record says otherwise, as earlier versions of `eval` had it.
fn kept_out(record: &Record, trouble: &str) -> Option<Record> {
    if record.outcome == Outcome::Infra {
        return None;
    }
    let mut record = record.clone();
    record
        .metrics
        .retain(|name, _| AGENT_METRICS.contains(&name.as_str()));
    record.outcome = Outcome::Infra;
    record.cause = Some(Cause::Said {
        message: trouble.to_owned(),
        permanent: false,
    });
    Some(record)
}

/// Puts a new scoring into a record. What the agent did stays; whether the rollout can be scored may change.
fn apply(record: &mut Record, report: &Report, declared: &[MetricDeclaration]) {
    let declared = |name: &str| declared.iter().find(|metric| metric.name == name);
    // What the agent used stays. All else came from the scoring before, whatever an evaluation script called it then.
    record
        .metrics
        .retain(|name, _| AGENT_METRICS.contains(&name.as_str()));
    for (name, value) in &report.metrics {
        if let Some(value) = value.as_f64() {
            let value = declared(name).map_or(value, |metric| metric.kept(value));
            record.metrics.insert(name.clone(), Number(value));
        }
    }
    let fact = |key: &str| report.facts.get(key).and_then(|fact| fact.as_str());
    record.notes.retain(|note| !note.starts_with(SCORING));
    let notes = fact(NOTES_FACT).unwrap_or_default();
    record.notes.extend(notes.lines().map(str::to_owned));
    // What ended the agent from outside stands, however its work is scored.
    if matches!(record.outcome, Outcome::Oom | Outcome::Timeout) {
        return;
    }
    let said = |message: &str, permanent| Cause::Said {
        message: message.to_owned(),
        permanent,
    };
    (record.outcome, record.cause) = match (fact(BROKEN_FACT), fact(CAUSE_FACT)) {
        (Some(broken), _) => (Outcome::Infra, Some(said(broken, true))),
        (None, Some(failed)) => (Outcome::Failed, Some(said(failed, false))),
        (None, None) => (Outcome::Ok, None),
    };
}
