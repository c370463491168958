//! A run as a job folder of Harbor: `config.json` and `result.json` of the job and of each trial, as Harbor's own viewer and
//! programs read them. The trials' further files are put beside them by whoever has them.

use super::outgoing::{Outgoing, as_json};
use crate::error::InteropError;
use fairtrial_model::{Outcome, Record, Sha256, UtcTime, hex};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a trial's tests gave.
pub type Rewards = BTreeMap<String, f64>;

/// A job folder that is to be written.
#[derive(Debug, Default)]
pub struct HarborJob {
    /// Its files: paths in it, and their texts.
    pub files: Vec<(String, String)>,
    /// The folder of each record's trial in it.
    pub trials: Vec<String>,
}

/// How one trial stands in the job's own results.
struct Line<'a> {
    record: &'a Record,
    folder: String,
    rewards: Option<&'a Rewards>,
    exception: Option<Value>,
}

impl HarborJob {
    /// The job of a run, whose records' rewards these are; absent where a record has none.
    pub fn of(run: &Outgoing<'_>, rewards: &[Option<Rewards>]) -> Result<Self, InteropError> {
        let job_id = uuid(&format!("{} {}", run.name, run.stamp));
        let mut job = Self::default();
        let mut lines = Vec::new();
        for (record, rewards) in run.records.iter().zip(rewards) {
            let line = Line {
                folder: folder(record),
                rewards: rewards.as_ref().filter(|rewards| !rewards.is_empty()),
                exception: exception(record),
                record,
            };
            let config = config(&line, run.name, &job_id);
            job.file(&format!("{}/config.json", line.folder), &config)?;
            let result = result(&line, &config);
            job.file(&format!("{}/result.json", line.folder), &result)?;
            if let Some(exception) = &line.exception {
                let text = exception["exception_message"].as_str().unwrap_or_default();
                let path = format!("{}/exception.txt", line.folder);
                job.files.push((path, text.to_owned()));
            }
            job.files.push((
                format!("{}/trial.log", line.folder),
                record.notes.join("\n"),
            ));
            job.trials.push(line.folder.clone());
            lines.push(line);
        }
        let config = json!({
            "job_name": run.name, "jobs_dir": "jobs", "quiet": true,
            "agents": agents(&lines),
            "datasets": [],
        });
        job.file("config.json", &config)?;
        job.file("result.json", &summary(&lines, &job_id))?;
        job.files.push(("job.log".to_owned(), String::new()));
        Ok(job)
    }

    fn file(&mut self, path: &str, value: &Value) -> Result<(), InteropError> {
        self.files.push((path.to_owned(), as_json(value)?));
        Ok(())
    }
}

/// A name of its own for each trial, always the same.
fn folder(record: &Record) -> String {
    let key = &record.trial;
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '-'
        }
    };
    let task: String = key.task.chars().map(plain).take(32).collect();
    let own = digest(&format!(
        "{} {} {:?} {}",
        record.id.0, key.index, key.arm, key.rollout
    ));
    format!("{task}__{}", &own[..7])
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text)[..16])
}

/// A number in the form that ids have there.
fn uuid(text: &str) -> String {
    let d = digest(text);
    format!(
        "{}-{}-4{}-8{}-{}",
        &d[..8],
        &d[8..12],
        &d[13..16],
        &d[17..20],
        &d[20..32]
    )
}

fn fact<'a>(record: &'a Record, name: &str) -> Option<&'a str> {
    record
        .facts
        .get(name)
        .map(String::as_str)
        .filter(|text| !text.is_empty())
}

/// The model, where one was at work.
fn model(record: &Record) -> Option<&str> {
    let stands_in = matches!(fact(record, "agent"), Some("oracle" | "nop"));
    fact(record, "model").filter(|_| !stands_in)
}

fn agent(record: &Record) -> Value {
    json!({ "name": fact(record, "agent").unwrap_or("command"), "model_name": model(record) })
}

fn agents(lines: &[Line<'_>]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for line in lines {
        let agent = agent(line.record);
        if !all.contains(&agent) {
            all.push(agent);
        }
    }
    all
}

fn config(line: &Line<'_>, run: &str, job_id: &str) -> Value {
    json!({
        "task": { "path": line.record.trial.task, "source": run },
        "trial_name": line.folder,
        "trials_dir": format!("jobs/{run}"),
        "agent": agent(line.record),
        "job_id": job_id,
    })
}

/// Why a trial has no reward, or was ended before it was done.
fn exception(record: &Record) -> Option<Value> {
    let limited = fact(record, "limited");
    let kind = match (record.outcome, limited) {
        (Outcome::Ok, None) => return None,
        (Outcome::Ok, Some(limit)) if limit.contains("time") => "AgentTimeoutError",
        (Outcome::Ok, Some(_)) => "OutputTokenExceededError",
        (Outcome::Timeout, _) => "AgentTimeoutError",
        (Outcome::Infra, _) => "EnvironmentError",
        (Outcome::Cancelled | Outcome::Skipped, _) => "CancelledError",
        (Outcome::Failed | Outcome::Oom, _) if cause(record).contains("no reward") => {
            "RewardFileNotFoundError"
        }
        (Outcome::Failed | Outcome::Oom, _) => "NonZeroAgentExitCodeError",
    };
    let message = limited.map_or_else(|| cause(record), |limit| format!("ended at {limit}"));
    Some(json!({
        "exception_type": kind,
        "exception_message": message,
        "exception_traceback": message,
        "occurred_at": time(record.ended_at),
    }))
}

fn cause(record: &Record) -> String {
    let told = record.cause.as_ref().map(ToString::to_string);
    told.unwrap_or_else(|| record.outcome.to_string())
}

fn time(at: UtcTime) -> Value {
    at.to_string().into()
}

fn count(record: &Record, name: &str) -> Value {
    let value = record.metrics.get(name).map(|value| value.0);
    value
        .filter(|value| value.is_finite())
        .map_or(Value::Null, |value| json!(value as u64))
}

fn result(line: &Line<'_>, config: &Value) -> Value {
    let record = line.record;
    let model = model(record).map(|name| json!({ "name": name, "provider": null }));
    let started = record.started_at.map_or(Value::Null, time);
    let cost = record.metrics.get("cost_usd").map(|cost| cost.0);
    json!({
        "id": uuid(&format!("{} {}", record.id.0, line.folder)),
        "task_name": record.trial.task,
        "trial_name": line.folder,
        "trial_uri": format!("file:///{}", line.folder),
        "task_id": { "path": record.trial.task },
        "source": config["task"]["source"],
        "task_checksum": fact(record, "task_digest").unwrap_or(""),
        "config": config,
        "agent_info": {
            "name": fact(record, "agent").unwrap_or("command"), "version": "unknown", "model_info": model,
        },
        "agent_result": {
            "n_input_tokens": count(record, "tokens_input"),
            "n_cache_tokens": count(record, "tokens_cached"),
            "n_output_tokens": count(record, "tokens_output"),
            "cost_usd": cost,
        },
        "verifier_result": line.rewards.map(|rewards| json!({ "rewards": rewards })),
        "exception_info": line.exception,
        "started_at": started,
        "finished_at": time(record.ended_at),
        "step_results": null,
    })
}

/// The results of the job: per agent and model, errors counted as 0.
fn summary(lines: &[Line<'_>], job_id: &str) -> Value {
    let mut evals: BTreeMap<String, Vec<&Line<'_>>> = BTreeMap::new();
    for line in lines {
        let agent = fact(line.record, "agent").unwrap_or("command");
        let model = model(line.record).map(|model| format!("{model}__"));
        let key = format!("{agent}__{}adhoc", model.unwrap_or_default());
        evals.entry(key).or_default().push(line);
    }
    let evals: Map<String, Value> = evals
        .into_iter()
        .map(|(key, lines)| (key, eval(&lines)))
        .collect();
    let total = |name: &str| {
        let all = lines
            .iter()
            .filter_map(|line| count(line.record, name).as_u64());
        all.reduce(|sum, one| sum + one)
    };
    let costs = lines
        .iter()
        .filter_map(|line| line.record.metrics.get("cost_usd"));
    let cost = costs.map(|cost| cost.0).reduce(|sum, one| sum + one);
    let first = lines.iter().filter_map(|line| line.record.started_at).min();
    let last = lines.iter().map(|line| line.record.ended_at).max();
    let last = last.map_or(Value::Null, time);
    json!({
        "id": job_id,
        "started_at": first.map_or(last.clone(), time),
        "updated_at": last,
        "finished_at": last,
        "n_total_trials": lines.len(),
        "stats": {
            "n_completed_trials": lines.len(),
            "n_errored_trials": lines.iter().filter(|line| line.exception.is_some()).count(),
            "n_running_trials": 0, "n_pending_trials": 0, "n_cancelled_trials": 0, "n_retries": 0,
            "evals": evals,
            "n_input_tokens": total("tokens_input"),
            "n_cache_tokens": total("tokens_cached"),
            "n_output_tokens": total("tokens_output"),
            "cost_usd": cost,
        },
    })
}

fn eval(lines: &[&Line<'_>]) -> Value {
    let mut reward_stats: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    let mut exceptions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in lines {
        for (name, reward) in line.rewards.into_iter().flatten() {
            *sums.entry(name).or_default() += reward;
            let values = reward_stats.entry(name).or_default();
            values
                .entry(reward.to_string())
                .or_default()
                .push(&line.folder);
        }
        if let Some(kind) = line
            .exception
            .as_ref()
            .and_then(|it| it["exception_type"].as_str())
        {
            exceptions.entry(kind).or_default().push(&line.folder);
        }
    }
    let mean = |sum: f64| sum / lines.len() as f64;
    let metrics: Map<String, Value> = match sums.iter().next() {
        Some((&"reward", sum)) if sums.len() == 1 => [("mean".to_owned(), json!(mean(*sum)))]
            .into_iter()
            .collect(),
        _ => sums
            .iter()
            .map(|(name, sum)| ((*name).to_owned(), json!(mean(*sum))))
            .collect(),
    };
    let scored = lines.iter().filter(|line| line.rewards.is_some()).count();
    json!({
        "n_trials": scored,
        "n_errors": lines.iter().filter(|line| line.exception.is_some()).count(),
        "metrics": if metrics.is_empty() { json!([]) } else { json!([metrics]) },
        "pass_at_k": {},
        "reward_stats": reward_stats,
        "exception_stats": exceptions,
    })
}
