//! One rollout from start to end, phase by phase. Each phase has its own time and its own causes of failure.

mod agent_phase;
mod agent_version;
mod contained;
mod driven;
mod environment;
mod minimal;
mod report;
pub(crate) mod request;
mod results;
mod reward;
mod setup_phase;
pub(crate) mod timeout;

pub use report::{Report, RolloutEnd};
pub use request::{RolloutTask, RolloutTrial, TASK_SCHEMA};
pub use results::{RESULTS_FILE, agent_trouble, declared_metrics};

use crate::adapter::INSTRUCTION_FILE;
use crate::baseline::Baseline;
use crate::collect::Collector;
use crate::error::{AgentError, At};
use crate::process;
use crate::sandbox::contract::{Env, Room};
use crate::sandbox::image::Recipe;
use crate::sandbox::lasting::Inside;
use crate::sandbox::opening;
use crate::sandbox::run::Confinement;
use crate::sandbox::setting::{Labels, Setting};
use crate::score::files::{Heading, SCORING_FILE};
use crate::score::scored::Scored;
use crate::score::scorer::Scorer;
use crate::task_file::FileBody;
use crate::tree::{self, Difference};
use crate::usage::Usage;
use driven::{Drive, Phases};
use fairtrial_journal::redact::Redactor;
use fairtrial_model::{CAUSE_FACT, JUDGES_FACT};
use fairtrial_spec::Phase;
use results::{agent_metrics, read_json};
use serde_json::Value;
use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// How causes and notes begin that came from scoring.
pub const SCORING: &str = "scoring: ";

/// What a rollout leaves for people to read, phase by phase: the title and the file in its directory.
pub const ROLLOUT_LOGS: [(&str, &str); 4] = [
    ("setup", "logs/setup.log"),
    ("agent", "logs/agent.log"),
    ("tests", "logs/eval.log"),
    ("scores, and what a judge said", SCORING_FILE),
];

/// The fact that names what an agent did to files that decide how tests run.
const CONTROL_FACT: &str = "test_control";
/// The fact with the hash of what the task says about its scoring.
const SCORING_FACT: &str = "scoring_digest";
/// The facts that scoring again makes anew.
pub const SCORING_FACTS: [&str; 3] = [CONTROL_FACT, JUDGES_FACT, SCORING_FACT];

/// What is known when a rollout is scored.
struct Used<'a> {
    /// What the agent started from.
    start: &'a Baseline,
    agent_metrics: &'a Value,
    diff_lines: Option<usize>,
    /// What the diff does not have, in words.
    left_out: &'a [String],
    /// A workspace that nobody changed.
    fresh: Option<&'a Path>,
}

/// Runs a rollout in its directory, which exists. `env` is all that the driver was given.
pub fn drive(shared: &RolloutTask, trial: &RolloutTrial, env: Env) -> RolloutEnd {
    // What an agent leaves running becomes ours, so that it can be ended before its work is scored.
    process::adopt_orphans();
    let redactor = redactor(shared, &env);
    let report = match Drive::new(shared, trial, env, redactor.clone()).and_then(|it| it.run()) {
        Ok(report) => report,
        Err(error) => {
            let mut report = Report::new();
            match error {
                // Every rollout of the task would meet the same; the next session tries again.
                AgentError::Image(message)
                | AgentError::Setup {
                    message,
                    permanent: true,
                } => report.broken(&message),
                other => report.infra(&other.to_string()),
            }
            report
        }
    };
    let _ = fs::remove_dir_all(trial.dir.join("work"));
    match report.append(&trial.dir.join("metrics.jsonl"), &redactor) {
        Ok(()) => report.end,
        Err(_) => RolloutEnd::Infra,
    }
}

/// Scores again what a rollout left; gives its new metrics and facts.
pub fn score_again(
    shared: &RolloutTask,
    trial: &RolloutTrial,
    env: Env,
) -> Result<Report, AgentError> {
    let redactor = redactor(shared, &env);
    let drive = Drive::new(shared, trial, env, redactor.clone())?;
    let scored = drive.rescore();
    let _ = fs::remove_dir_all(&drive.work);
    scored.map(|mut report| {
        report.redact(&redactor);
        report
    })
}

/// A name that no other rollout of this machine has now: runs of two projects may have the same stamp.
fn rollout_name(trial: &str) -> String {
    format!("fairtrial-{trial}-{}", std::process::id())
}

/// Knows the secrets of a rollout. The keys of models that we ask are some, whatever their variables are called.
fn redactor(shared: &RolloutTask, env: &Env) -> Redactor {
    let judges = shared.options.judges().map(|judge| &judge.key_env);
    let agent = shared
        .options
        .agent
        .endpoint
        .as_ref()
        .map(|endpoint| &endpoint.key_env);
    let keys = judges.chain(agent).filter_map(|name| env.get(name));
    let all = env.iter().map(|(name, value)| (name.as_str(), value));
    Redactor::from_env(all.chain(keys.map(|key| ("MODEL_KEY", key))))
}

impl<'a> Drive<'a> {
    fn new(
        shared: &'a RolloutTask,
        trial: &'a RolloutTrial,
        env: Env,
        redactor: Redactor,
    ) -> Result<Self, AgentError> {
        let baseline = Baseline::at(shared.baseline.clone());
        let mut task = baseline.task()?;
        if let Some(file) = &trial.scoring {
            task = task.scored_as(read_json(file)?);
        }
        let mut options = shared.options.clone();
        let text = |key: &str| trial.params.get(key).and_then(Value::as_str);
        if let Some(agent) = text("agent") {
            agent.clone_into(&mut options.agent.name);
        }
        let labels = Labels {
            run: shared.run.clone(),
            trial: trial.name.clone(),
        };
        let recipe = Recipe::of(&task, &baseline, &shared.images);
        let setting = Setting { labels, recipe };
        let mut caps = shared.caps;
        let (mut container, mut is_closed) = (None, false);
        let sandbox = match &task.contained {
            None => Confinement::open(&options.sandbox, setting, (caps, shared.log_limit))?,
            Some(contained) => {
                caps.memory_bytes = caps.memory_bytes.or(contained.memory_bytes);
                caps.disk_bytes = caps.disk_bytes.or(contained.disk_bytes);
                let (choice, closed) = contained::with_networks(&options.sandbox, contained);
                let name = rollout_name(&trial.name);
                let lasting = opening::lasting(&choice, setting, name)?;
                let inside = Box::new(Inside(Rc::clone(&lasting)));
                (container, is_closed) = (Some(lasting), closed);
                Confinement::around(inside, &choice, (caps, shared.log_limit))
            }
        };
        let work = trial.dir.join("work");
        if work.exists() {
            fs::remove_dir_all(&work).at("remove", &work)?;
        }
        fs::create_dir(&work).at("create", &work)?;
        Ok(Self {
            model: text("model").unwrap_or(&shared.model).to_owned(),
            shared,
            trial,
            task,
            baseline,
            options,
            sandbox,
            container,
            is_closed,
            step: Cell::new(0),
            env,
            redactor,
            work,
        })
    }

    fn run(&self) -> Result<Report, AgentError> {
        if let (Some(contained), Some(container)) = (&self.task.contained, &self.container) {
            return self.run_contained(contained, container);
        }
        let mut phases = Phases::default();
        let began = Instant::now();
        self.prepare()?;
        let room = self.room()?;
        let owner = self.sandbox.owner();
        let mut snapshot = tree::copy(&self.baseline.tree(), &room.workspace, owner)?;
        phases.workspace = began.elapsed().as_secs_f64();
        let set_up = self.set_up(&room)?;
        phases.setup = set_up.as_ref().map(|(_, seconds)| *seconds);
        let start = set_up.as_ref().map_or(&self.baseline, |(start, _)| start);
        if set_up.is_some() {
            snapshot = tree::copy(&start.tree(), &room.workspace, owner)?;
        }
        let agent = self.agent(&room, start)?;
        self.sandbox.end(&room);
        process::end_descendants();
        let began = Instant::now();
        let collector = Collector {
            start,
            baseline: &self.baseline,
            task: &self.task,
            redactor: &self.redactor,
        };
        let difference = tree::compare(&start.tree(), &room.workspace, &snapshot)?;
        let kept = collector.collect(&self.trial.dir, &room, difference)?;
        let fresh = (difference == Difference::None).then_some(room.workspace.as_path());
        let mut report = Report::new();
        self.agent_report(&agent, Some(&kept), &mut report)?;
        report.ignored(&kept.ignored);
        report.left_out(&kept.left_out);
        for slip in Usage::slips(&room.out) {
            report.note(&format!("{slip}: unknown"));
        }
        if let Some(seconds) = phases.setup {
            report.metrics.insert("setup_s".to_owned(), seconds.into());
        }
        self.write_results(&agent, Some(&kept))?;
        phases.collect = began.elapsed().as_secs_f64();
        match &agent.infra {
            Some(trouble) if trouble.permanent => report.broken(&trouble.message),
            Some(trouble) => report.infra(&trouble.message),
            None => {
                let used = Used {
                    start,
                    agent_metrics: &agent_metrics(&agent, &self.options),
                    diff_lines: Some(kept.diff_lines),
                    left_out: &kept.left_out,
                    fresh,
                };
                let began = Instant::now();
                let scored = self.score(&used)?;
                phases.score = Some(began.elapsed().as_secs_f64());
                self.scored(&scored, &mut report);
            }
        }
        self.write_metadata(&agent, &phases, &report)?;
        Ok(report)
    }

    /// The sandbox made ready, with the rollout's variables and none that are secret.
    fn prepare(&self) -> Result<(), AgentError> {
        let mut env = self.env.clone();
        self.make_public(&mut env);
        self.sandbox.prepare(&env, &self.redactor)
    }

    fn rescore(&self) -> Result<Report, AgentError> {
        if let Some(contained) = &self.task.contained {
            return self.rescore_contained(contained);
        }
        self.prepare()?;
        let path = self.trial.dir.join(RESULTS_FILE);
        let results: Value = read_json(&path)?;
        let mut report = Report::new();
        if let Some(failed) = results["failed"].as_str() {
            report.end = RolloutEnd::Failed;
            report.facts.insert(CAUSE_FACT.to_owned(), failed.into());
        }
        let lines = results["diff_lines"].as_u64().map(|lines| lines as usize);
        let left_out = results["left_out"].as_array();
        let left_out = left_out.into_iter().flatten().filter_map(Value::as_str);
        let left_out: Vec<String> = left_out.map(str::to_owned).collect();
        let set_up = self.set_up_again()?;
        let scored = self.score(&Used {
            start: set_up.as_ref().unwrap_or(&self.baseline),
            agent_metrics: &results["agent_metrics"],
            diff_lines: lines,
            left_out: &left_out,
            fresh: None,
        })?;
        self.scored(&scored, &mut report);
        Ok(report)
    }

    fn name(&self) -> String {
        rollout_name(&self.trial.name)
    }

    /// The folders of the agent's phase.
    fn room(&self) -> Result<Room, AgentError> {
        let room = Room {
            workspace: self.work.join("workspace"),
            inputs: self.work.join("inputs"),
            out: self.work.join("out"),
            home: self.work.join("home"),
            tmp: self.work.join("tmp"),
            name: format!("{}-agent", self.name()),
        };
        self.sandbox.make_room(&room)?;
        for (name, body) in &self.task.inputs {
            tree::place(&room.inputs, name, body)?;
        }
        let told = FileBody::text(&self.task.instructions);
        tree::place(&room.inputs, INSTRUCTION_FILE, &told)?;
        self.sandbox.hand_over(&[&room.inputs])?;
        Ok(room)
    }

    fn score(&self, used: &Used<'_>) -> Result<Scored, AgentError> {
        let scratch = self.work.join("score");
        let scorer = Scorer {
            task: &self.task,
            baseline: used.start,
            options: &self.options,
            sandbox: &self.sandbox,
            env: &|inside| self.env_of(Phase::Tests, inside),
            keys: &self.env,
            redactor: &self.redactor,
            fresh: used.fresh,
            left_out: used.left_out,
        };
        let scored = scorer.score(&self.trial.dir, &scratch, &self.name())?;
        let heading = Heading {
            task_id: &self.task.id,
            run_id: &self.trial.name,
            agent_metrics: used.agent_metrics,
            diff_lines: used.diff_lines,
        };
        scored.write(&self.trial.dir, &heading, &self.redactor)?;
        Ok(scored)
    }

    fn scored(&self, scored: &Scored, report: &mut Report) {
        report
            .metrics
            .extend(scored.metrics(self.options.pass_score));
        for warning in &scored.warnings {
            report.note(&format!("{SCORING}{warning}"));
        }
        let scoring = self.task.scoring_digest(&self.options);
        report.facts.insert(SCORING_FACT.to_owned(), scoring.into());
        if let Some(verdicts) = scored.panel.fact() {
            report.facts.insert(JUDGES_FACT.to_owned(), verdicts.into());
        }
        if !scored.control.is_empty() {
            let files = scored.control.join(", ");
            report.facts.insert(CONTROL_FACT.to_owned(), files.into());
        }
        if let Some(broken) = &scored.broken {
            // Running the agent again would cost money and change nothing: `eval` scores again.
            report.broken(&format!("{SCORING}{broken}"));
        }
    }
}
