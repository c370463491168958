//! Is a task sound? Its reference solution must score 1 and doing nothing 0, every time, before a model is measured by it.

use crate::data_root::absolute;
use crate::error::SessionError;
use crate::run::RunOptions;
use crate::session::Session;
use crate::spec_file::SpecFile;
use fairtrial_engine::Controls;
use fairtrial_journal::{Durability, JournalError, RunDir, RunState, effective_records};
use fairtrial_journal::{resolved_spec, write_atomic_bytes};
use fairtrial_model::{Outcome, Record};
use fairtrial_spec::{FileCheck, SandboxKind, Work};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The name of the runs that look whether tasks are sound.
const RUN_NAME: &str = "task_check";

/// Which tasks are tried, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoundnessQuestion {
    /// Folders of tasks.
    pub dirs: Vec<PathBuf>,
    /// How often each of the two is tried.
    pub times: u32,
    /// Where; absent for the machine's choice.
    pub sandbox: Option<SandboxKind>,
    /// Further values of the spec that tries them, as `defaults.sandbox.image=NAME`.
    pub set: Vec<String>,
}

/// What was found out about tasks.
#[derive(Debug, Serialize)]
pub struct Soundness {
    /// Each task.
    pub tasks: Vec<TaskSoundness>,
    /// The run in which they were tried.
    #[serde(skip)]
    pub run: RunDir,
}

/// What was found out about one task.
#[derive(Debug, Serialize)]
pub struct TaskSoundness {
    /// Its folder.
    pub dir: String,
    /// Scores of the reference solution; absent where there was none.
    pub oracle: Vec<Option<f64>>,
    /// Scores of doing nothing.
    pub nop: Vec<Option<f64>>,
    /// What is wrong; empty for a sound task.
    pub problems: Vec<String>,
    /// Whether a rollout could not be scored, for whatever reason.
    #[serde(skip)]
    pub is_unscored: bool,
}

impl Session {
    /// Tries the reference solution and doing nothing on each task.
    pub fn check_soundness(
        &self,
        question: &SoundnessQuestion,
        controls: &Controls,
    ) -> Result<Soundness, SessionError> {
        let folder = self.data_root().path().join("cache");
        let file = folder.join(format!("{RUN_NAME}-{}.json", std::process::id()));
        let text = spec_of(question).to_string();
        std::fs::create_dir_all(&folder)
            .map_err(|error| SessionError::Machine(format!("{}: {error}", folder.display())))?;
        write_atomic_bytes(&file, Durability::Process, text.as_bytes())?;
        let spec = SpecFile {
            path: file.clone(),
            set: question.set.clone(),
        };
        let prepared = self.prepare_run(RunOptions::new(spec), FileCheck::Require);
        let ran = prepared.and_then(|run| self.run(run, controls));
        let _ = std::fs::remove_file(&file);
        let run = ran?.report.run;
        let tasks = found_in(&run)?;
        Ok(Soundness { tasks, run })
    }
}

fn spec_of(question: &SoundnessQuestion) -> Value {
    let task = |dir: &PathBuf| json!({ "prepared_dir": absolute(dir) });
    let mut defaults = json!({ "rollouts": question.times, "retries": 0 });
    if let Some(kind) = question.sandbox {
        defaults["sandbox"] = json!({ "kind": kind.word() });
    }
    json!({
        "name": RUN_NAME,
        "arms": { "oracle": { "agent": "oracle" }, "nop": { "agent": "nop" } },
        "defaults": defaults,
        "tasks": question.dirs.iter().map(task).collect::<Vec<_>>(),
    })
}

/// What the records of a run say about each task, in the order of the spec.
fn found_in(run: &RunDir) -> Result<Vec<TaskSoundness>, SessionError> {
    let mut records = Vec::new();
    let state = RunState::read(&run.journal())?;
    effective_records(&run.journal(), &state, |record: Record| {
        records.push(record);
        Ok::<(), JournalError>(())
    })?;
    records.sort_by_key(|record| record.trial.index);
    let spec = resolved_spec(run)?;
    let tasks = spec.tasks.iter().filter_map(|task| match &task.work {
        Work::Prepared { dir, .. } => Some((&task.id, dir)),
        _ => None,
    });
    let one = |(id, dir): (&String, &String)| {
        let of = |arm: &str| -> Vec<&Record> {
            let own = |record: &&Record| {
                record.trial.task == *id && record.trial.arm.as_deref() == Some(arm)
            };
            records.iter().filter(own).collect()
        };
        TaskSoundness::of(dir, &of("oracle"), &of("nop"))
    };
    Ok(tasks.map(one).collect())
}

impl TaskSoundness {
    fn of(dir: &str, oracle: &[&Record], nop: &[&Record]) -> Self {
        let mut problems = Vec::new();
        problems.extend(problem("the reference solution", oracle, 1.0));
        problems.extend(problem("doing nothing", nop, 0.0));
        let all = |records: &[&Record]| records.iter().map(|record| score(record)).collect();
        let (oracle, nop): (Vec<_>, Vec<_>) = (all(oracle), all(nop));
        Self {
            dir: dir.to_owned(),
            is_unscored: oracle.iter().chain(&nop).any(Option::is_none),
            oracle,
            nop,
            problems,
        }
    }

    /// Whether a model may be measured by it.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

fn score(record: &Record) -> Option<f64> {
    let of_agent = matches!(record.outcome, Outcome::Ok);
    let score = record.metrics.get("score").filter(|_| of_agent);
    score.map(|score| score.0)
}

/// What is wrong with the scores of one of the two, in words.
fn problem(who: &str, records: &[&Record], wanted: f64) -> Option<String> {
    let other = |record: &&&Record| score(record).is_none_or(|score| (score - wanted).abs() > 1e-9);
    let wrong: Vec<&&Record> = records.iter().filter(other).collect();
    let first = match wrong.first() {
        Some(first) => first,
        None if records.is_empty() => return Some(format!("{who} was not tried")),
        None => return None,
    };
    let what = match (score(first), &first.cause) {
        (Some(score), _) => format!("scored {score}, not {wanted}"),
        (None, Some(cause)) => format!("has no score ({cause})"),
        (None, None) => "has no score: nothing in the task gives one".to_owned(),
    };
    let times = match (wrong.len(), records.len()) {
        (wrong, all) if wrong == all => String::new(),
        (wrong, all) => format!(" in {wrong} of {all} tries"),
    };
    Some(format!("{who} {what}{times}"))
}
