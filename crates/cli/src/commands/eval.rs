//! `eval`: scores what the rollouts of a run left, again, without running an agent.

use super::select::RunArgs;
use super::summarize;
use crate::exit::{Done, Exit, Failure};
use crate::global::Global;
use crate::printer::Printer;
use crate::{agents, environment, time};
use fairtrial_agent::rollout::Report;
use fairtrial_analysis::summarize_run;
use fairtrial_engine::{ScoreJob, Scorings, resolved_spec};
use fairtrial_journal::redact::Redactor;
use fairtrial_journal::{
    Durability, Event, JournalError, JournalWriter, RunDir, RunLock, RunState, effective_records,
    views, write_atomic_bytes,
};
use fairtrial_model::{BROKEN_FACT, CAUSE_FACT, Cause, Number, Outcome, Record};
use fairtrial_spec::Work;
use serde::Serialize;
use serde_json::json;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Score (again) what the rollouts of a run left
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  fairtrial eval my_benchmark --latest\n  fairtrial eval my_benchmark --rollout 20250824__12-34-56 --json"
)]
pub(crate) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// How many are scored at the same time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    parallel: u16,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Metrics that scoring gives, which a new scoring replaces.
const SCORES: [&str; 7] = [
    "score",
    "solved",
    "tests_passed",
    "tests_total",
    "tests_timed_out",
    "lm_score",
    "verify_s",
];

/// One rollout in `eval_manifest.json`: the keys of the original first.
#[derive(Debug, Serialize)]
struct Evaluated {
    run_dir: String,
    task_dir: String,
    eval_rc: i32,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(crate) fn run(args: &Args, global: &Global, printer: Printer) -> Done {
    let run = args.run.find(global)?;
    let spec = resolved_spec(&run)?;
    let task_dir = |record: &Record| {
        spec.tasks.iter().find_map(|task| match &task.work {
            Work::Prepared { dir, .. } if task.id == record.trial.task => Some(dir.clone()),
            _ => None,
        })
    };
    let lock = RunLock::acquire(&run, time::now())?;
    let mut rollouts = Vec::new();
    let state = RunState::read(&run.journal())?;
    effective_records(&run.journal(), &state, |record: Record| {
        if let Some(dir) = task_dir(&record) {
            rollouts.push((record, dir));
        }
        Ok::<(), JournalError>(())
    })?;
    if rollouts.is_empty() {
        return Err(Failure::input(format!(
            "run {} has no rollouts of agent tasks",
            run.stamp()
        ))
        .hint("`eval` scores tasks with `prepared_dir`; `summarize` shows any run"));
    }
    agents::make_ready(&spec, run.root())?;
    let environment = environment::read();
    let program = std::env::current_exe()
        .map_err(|error| Failure::machine(format!("cannot find this program: {error}")))?;
    let slots = usize::from(args.parallel);
    let scorings = Scorings::new(&run, spec, &program, &environment)?;
    let redactor = Redactor::from_env(environment.iter().map(|(name, value)| (name, value)));
    let evaluated = score_all(&scorings, &rollouts, &redactor, slots);
    keep(&run, &state, &evaluated)?;
    let spec = resolved_spec(&run)?;
    views::write_all(&run, &spec, Durability::Content)?;
    let summary = summarize_run(&run, &spec)?;
    summarize::write_views(&run, &spec, &summary)?;
    drop(lock);
    let rows: Vec<Evaluated> = evaluated.into_iter().map(|one| one.row).collect();
    let manifest =
        json!({ "evaluated_at": fairtrial_model::Stamp::of(time::now()), "results": rows });
    let text = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
    let path = run.path().join("eval_manifest.json");
    write_atomic_bytes(&path, Durability::Process, &text)?;
    let unscored = rows.iter().filter(|row| row.eval_rc != 0).count();
    if args.json {
        printer.json(&json!({ "evaluation": manifest, "summary": summary }));
    } else {
        printer.line(fairtrial_report::console::summary(
            &summary,
            printer.terminal(),
        ));
        for row in rows.iter().filter(|row| row.eval_rc != 0) {
            let why = row.error.as_deref().unwrap_or(row.status);
            printer.warn(format!("{}: {why}", row.run_dir));
        }
        printer.tell(format!(
            "{} of {} rollouts scored; {}",
            rows.len() - unscored,
            rows.len(),
            path.display()
        ));
    }
    Ok(if unscored == 0 {
        Exit::Fine
    } else {
        Exit::Machine
    })
}

/// A rollout scored again: its row, and its record where that changed.
struct Outcomes {
    row: Evaluated,
    record: Option<Record>,
}

fn score_all(
    scorings: &Scorings,
    rollouts: &[(Record, String)],
    redactor: &Redactor,
    slots: usize,
) -> Vec<Outcomes> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..slots.min(rollouts.len()) {
            scope.spawn(|| {
                while let Some((record, dir)) = rollouts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = score(scorings, record, dir, redactor);
                    let mut done = done
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                    done.push((record.trial.index, one));
                }
            });
        }
    });
    let mut done = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, one)| one).collect()
}

fn score(scorings: &Scorings, record: &Record, dir: &str, redactor: &Redactor) -> Outcomes {
    let row = |eval_rc, status, score, error| Evaluated {
        run_dir: scorings.outward(record),
        task_dir: dir.to_owned(),
        eval_rc,
        status,
        score,
        error,
    };
    let job = match scorings.job(record) {
        Ok(Some(job)) => job,
        Ok(None) => {
            let why = format!("its agent did not run ({})", record.outcome);
            return Outcomes {
                row: row(1, "not_run", None, Some(why)),
                record: None,
            };
        }
        Err(error) => {
            return Outcomes {
                row: row(1, "failed", None, Some(error.to_string())),
                record: None,
            };
        }
    };
    match run_job(&job) {
        Ok(report) => {
            let mut record = record.clone();
            apply(&mut record, &report);
            redactor.redact_record(&mut record);
            let score = record.metrics.get("score").map(|score| score.0);
            let broken = match &record.cause {
                Some(cause) if record.outcome == Outcome::Infra => Some(cause.to_string()),
                _ => None,
            };
            let row = match broken {
                None => row(0, "ok", score, None),
                Some(why) => row(3, "failed", None, Some(why)),
            };
            Outcomes {
                row,
                record: Some(record),
            }
        }
        Err(message) => Outcomes {
            row: row(
                3,
                "failed",
                None,
                Some(redactor.redact(&message).into_owned()),
            ),
            record: None,
        },
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
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// Puts a new scoring into a record. What the agent did stays; whether the rollout can be scored may change.
fn apply(record: &mut Record, report: &Report) {
    record
        .metrics
        .retain(|name, _| !SCORES.contains(&name.as_str()));
    for (name, value) in &report.metrics {
        if let Some(value) = value.as_f64() {
            record.metrics.insert(name.clone(), Number(value));
        }
    }
    let fact = |key: &str| report.facts.get(key).and_then(|fact| fact.as_str());
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

/// Writes the new records: first the journal, then each rollout's own copy.
fn keep(run: &RunDir, state: &RunState, evaluated: &[Outcomes]) -> Result<(), Failure> {
    let writer = JournalWriter::open(&run.journal(), Box::new(drop))?;
    let now = time::now();
    let records: Vec<&Record> = evaluated
        .iter()
        .filter_map(|one| one.record.as_ref())
        .collect();
    writer.append(&Event::Session {
        pid: std::process::id(),
        host: fairtrial_journal::provenance::host_name(),
        at: now,
        resumed: true,
        attends: false,
    });
    writer.append(&Event::Note {
        at: now,
        text: format!("{} rollouts were scored again", records.len()),
    });
    for record in &records {
        writer.append(&Event::Finished(Box::new((*record).clone())));
    }
    if let Some((_, status)) = state.closed() {
        let mut counts = state.counts;
        for record in &records {
            if let Some(before) = state.trial(record.trial.index).outcome {
                counts.remove(before);
                counts.add(record.outcome);
            }
        }
        writer.append(&Event::Closed {
            at: now,
            status,
            counts,
        });
    }
    writer.close()?;
    for record in records.into_iter().filter(|record| !record.dir.is_empty()) {
        let dir = run.root().path().join(&record.dir);
        let _ = std::fs::remove_file(dir.join("record.json"));
        views::write_record(&dir, record)?;
    }
    Ok(())
}
