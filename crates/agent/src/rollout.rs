//! One rollout from start to end, phase by phase. Each phase has its own time and its own causes of failure.

use crate::adapter::{self, Brief, INSTRUCTION_FILE, Invocation, Work};
use crate::baseline::Baseline;
use crate::collect::Collector;
use crate::error::{AgentError, At};
use crate::gate::Gate;
use crate::git::Git;
use crate::process::{self, Ended, Program};
use crate::provider::{self, Trouble};
use crate::sandbox::{self, Env, Labels, Room, Sandbox};
use crate::score::{Heading, Scored, Scorer};
use crate::task::{AgentTask, FileBody, Solution};
use crate::tree;
use crate::usage::Usage;
use fairtrial_journal::redact::{Redactor, is_secret_name};
use fairtrial_model::{Params, TrialKey};
use fairtrial_spec::{RolloutOptions, SandboxKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Version of the form of [`RolloutTask`].
pub const TASK_SCHEMA: u32 = 1;

/// What all rollouts of a task share; a file that the driver reads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RolloutTask {
    /// [`TASK_SCHEMA`].
    pub schema: u32,
    /// The baseline's folder in the cache.
    pub baseline: PathBuf,
    /// The prepared directory as the spec names it.
    pub prepared_dir: String,
    /// The model, where no parameter says another.
    pub model: String,
    /// Agent, sandbox, scoring.
    pub options: RolloutOptions,
    /// Names of the variables that the spec sets, which win over the task's.
    pub spec_env: Vec<String>,
    /// Seconds for the agent.
    pub timeout_s: f64,
    /// Bytes kept of each log.
    pub log_limit: u64,
    /// The run's stamp.
    pub run: String,
    /// Where the run's gates to providers are.
    pub gates: PathBuf,
}

/// What is one rollout's own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RolloutTrial {
    /// The attempt's name.
    pub name: String,
    /// Its directory.
    pub dir: PathBuf,
    /// Its place in the design.
    pub key: TrialKey,
    /// All its parameters.
    pub params: Params,
}

/// How a rollout ended, as its exit code says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RolloutEnd {
    /// The agent ended well or at a limit, and was scored.
    Done,
    /// The agent failed.
    Failed,
    /// The machine, the provider or the task is to blame.
    Infra,
}

/// What ended an agent before it was done.
#[derive(Debug, Clone, Default)]
struct AgentEnd {
    code: i32,
    seconds: f64,
    waited: f64,
    limited: Option<String>,
    failed: Option<String>,
    infra: Option<Trouble>,
    usage: Usage,
}

/// A rollout that is being driven.
struct Drive<'a> {
    shared: &'a RolloutTask,
    trial: &'a RolloutTrial,
    task: AgentTask,
    baseline: Baseline,
    options: RolloutOptions,
    model: String,
    sandbox: Box<dyn Sandbox>,
    env: Env,
    redactor: Redactor,
    work: PathBuf,
}

/// Runs a rollout in its directory, which exists. `env` is all that the driver was given.
pub fn drive(shared: &RolloutTask, trial: &RolloutTrial, env: Env) -> RolloutEnd {
    // What an agent leaves running becomes ours, so that it can be ended before its work is scored.
    let _ = rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1));
    let redactor = Redactor::from_env(&env);
    let report = match Drive::new(shared, trial, env, redactor.clone()).and_then(|it| it.run()) {
        Ok(report) => report,
        Err(error) => Report::infra(&error.to_string(), false),
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
    let redactor = Redactor::from_env(&env);
    let drive = Drive::new(shared, trial, env, redactor)?;
    let scored = drive.rescore();
    let _ = fs::remove_dir_all(&drive.work);
    scored
}

/// What a rollout reports: numbers and words for its record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    #[serde(skip, default = "done")]
    pub end: RolloutEnd,
    /// Its metrics.
    pub metrics: Map<String, Value>,
    /// Its facts, those for the trial runner included.
    pub facts: Map<String, Value>,
}

fn done() -> RolloutEnd {
    RolloutEnd::Done
}

/// The fact that blames the machine, and how the trial runner knows that trying again cannot help.
pub const INFRA_FACT: &str = "fairtrial.infra";
/// The same where trying again cannot help.
pub const BROKEN_FACT: &str = "fairtrial.broken";
/// The fact that says why a trial failed.
pub const CAUSE_FACT: &str = "fairtrial.cause";

impl Report {
    fn new() -> Self {
        Self {
            end: RolloutEnd::Done,
            metrics: Map::new(),
            facts: Map::new(),
        }
    }

    fn infra(message: &str, permanent: bool) -> Self {
        let mut report = Self::new();
        report.blame(message, permanent);
        report
    }

    fn blame(&mut self, message: &str, permanent: bool) {
        self.end = RolloutEnd::Infra;
        let key = if permanent { BROKEN_FACT } else { INFRA_FACT };
        self.facts.insert(key.to_owned(), message.into());
    }

    fn append(&self, file: &Path, redactor: &Redactor) -> Result<(), AgentError> {
        use std::io::Write;
        let mut line = self.metrics.clone();
        line.extend(self.facts.clone());
        let text = Value::Object(line).to_string();
        let opened = fs::OpenOptions::new().create(true).append(true).open(file);
        let clean = redactor.redact(&text);
        let written = opened.and_then(|mut file| writeln!(file, "{clean}"));
        written.at("write", file)
    }
}

impl<'a> Drive<'a> {
    fn new(
        shared: &'a RolloutTask,
        trial: &'a RolloutTrial,
        env: Env,
        redactor: Redactor,
    ) -> Result<Self, AgentError> {
        let baseline = Baseline::at(shared.baseline.clone());
        let task = baseline.task()?;
        let mut options = shared.options.clone();
        let text = |key: &str| trial.params.get(key).and_then(Value::as_str);
        if let Some(agent) = text("agent") {
            agent.clone_into(&mut options.agent.name);
        }
        let labels = Labels {
            run: shared.run.clone(),
            trial: trial.name.clone(),
        };
        let sandbox = sandbox::open(&options.sandbox, &labels)?;
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
            env,
            redactor,
            work,
        })
    }

    fn run(&self) -> Result<Report, AgentError> {
        let room = self.room()?;
        let snapshot = tree::copy(&self.baseline.tree(), &room.workspace)?;
        let agent = self.agent(&room)?;
        self.sandbox.end(&room);
        process::end_descendants();
        let collector = Collector {
            baseline: &self.baseline,
            task: &self.task,
            redactor: &self.redactor,
        };
        let diff_lines = collector.collect(&self.trial.dir, &room, &snapshot)?;
        let mut report = Report::new();
        self.agent_report(&agent, diff_lines, &mut report);
        self.write_results(&agent, diff_lines)?;
        if let Some(trouble) = &agent.infra {
            report.blame(&trouble.message, trouble.permanent);
        } else {
            let scored = self.score(&agent_metrics(&agent, &self.options), diff_lines)?;
            self.scored(&scored, &mut report);
        }
        self.write_metadata(&agent, &report)?;
        Ok(report)
    }

    fn rescore(&self) -> Result<Report, AgentError> {
        let path = self.trial.dir.join("results.json");
        let text = fs::read(&path).at("read", &path)?;
        let results: Value =
            serde_json::from_slice(&text).map_err(|error| AgentError::Content {
                path: path.clone(),
                message: error.to_string(),
            })?;
        let mut report = Report::new();
        if let Some(failed) = results["failed"].as_str() {
            report.end = RolloutEnd::Failed;
            report.facts.insert(CAUSE_FACT.to_owned(), failed.into());
        }
        let lines = results["diff_lines"].as_u64().unwrap_or(0) as usize;
        let scored = self.score(&results["agent_metrics"], lines)?;
        self.scored(&scored, &mut report);
        Ok(report)
    }

    /// The folders of the agent's phase.
    fn room(&self) -> Result<Room, AgentError> {
        let room = Room {
            workspace: self.work.join("workspace"),
            inputs: self.work.join("inputs"),
            out: self.work.join("out"),
            home: self.work.join("home"),
            name: format!("fairtrial-{}-agent", self.trial.name),
        };
        for folder in [&room.inputs, &room.out, &room.home] {
            fs::create_dir(folder).at("create", folder)?;
        }
        for (name, body) in &self.task.inputs {
            tree::place(&room.inputs, name, body)?;
        }
        let told = FileBody::text(&self.task.instructions);
        tree::place(&room.inputs, INSTRUCTION_FILE, &told)?;
        Ok(room)
    }

    fn agent(&self, room: &Room) -> Result<AgentEnd, AgentError> {
        let inside = self.sandbox.inside(room);
        let brief = Brief {
            model: &self.model,
            choice: &self.options.agent,
            timeout_s: self.shared.timeout_s,
            seed: self.trial.key.seed,
            rollout: self.trial.key.rollout,
            params: &self.trial.params,
            inside: &inside,
        };
        match adapter::work(&brief)? {
            Work::Nothing => Ok(AgentEnd::default()),
            Work::Solve => self.solve(room),
            Work::Run(invocation) => self.run_agent(&invocation, room, &inside),
        }
    }

    fn run_agent(
        &self,
        invocation: &Invocation,
        room: &Room,
        inside: &Room,
    ) -> Result<AgentEnd, AgentError> {
        let gate = Gate::open(&self.gate_dir())?;
        let place = gate.enter()?;
        self.lend_account(invocation.account_files, room)?;
        let env = self.agent_env(inside);
        let log = self.trial.dir.join("logs/agent.log");
        let confined = self.sandbox.confine(room, &invocation.argv, &env);
        let env: Vec<(String, String)> = confined.env.into_iter().collect();
        let instructions = room.inputs.join(INSTRUCTION_FILE);
        let program = Program {
            argv: &confined.argv,
            env: &env,
            workdir: &confined.workdir,
            stdin: invocation
                .reads_instructions
                .then_some(instructions.as_path()),
            log: &log,
            log_limit: self.shared.log_limit,
            timeout: Some(Duration::from_secs_f64(self.shared.timeout_s)),
        };
        let limits = &self.options.agent;
        let has_limit = limits.max_tokens.is_some() || limits.max_cost.is_some();
        let mut look = || self.spent(&Usage::read(&log, &room.out));
        let watcher = has_limit.then_some(&mut look as process::Watcher<'_>);
        let ended = match process::run(&program, &self.redactor, watcher) {
            Ok(ended) => ended,
            Err(AgentError::Io {
                action: "start",
                path,
                source,
            }) => {
                let message = format!(
                    "the agent {} could not be started: {source}",
                    path.display()
                );
                return Ok(AgentEnd {
                    code: 127,
                    infra: Some(Trouble::permanent(message)),
                    ..AgentEnd::default()
                });
            }
            Err(error) => return Err(error),
        };
        let mut end = self.judge_end(ended, Usage::read(&log, &room.out));
        end.waited = place.waited;
        drop(place);
        Self::tell_gate(&gate, &end)?;
        Ok(end)
    }

    /// Whether a limit on tokens or money is reached.
    fn spent(&self, usage: &Usage) -> Option<String> {
        let limits = &self.options.agent;
        let tokens = usage.tokens().zip(limits.max_tokens);
        if let Some((used, most)) = tokens.filter(|(used, most)| used >= most) {
            return Some(format!("its limit of {most} tokens ({used} used)"));
        }
        let cost = usage.cost(limits.price).0.zip(limits.max_cost);
        let (used, most) = cost.filter(|(used, most)| used >= most)?;
        Some(format!("its limit of ${most} (${used:.4} spent)"))
    }

    /// Tells limits, the provider's trouble, the sandbox's trouble and the agent's own failure apart.
    fn judge_end(&self, ended: Ended, usage: Usage) -> AgentEnd {
        let mut end = AgentEnd {
            code: ended.code,
            seconds: ended.seconds,
            usage,
            ..AgentEnd::default()
        };
        if let Some(reason) = ended.stopped {
            end.limited = Some(reason);
        } else if ended.code != 0 {
            if let Some(trouble) = provider::trouble(&ended.tail) {
                end.infra = Some(trouble);
            } else if let Some(broken) = self.sandbox_trouble(&ended) {
                end.infra = Some(Trouble::permanent(broken));
            } else {
                end.failed = Some(format!("the agent ended with exit code {}", ended.code));
            }
        } else if let Some(reason) = self.spent(&end.usage) {
            end.limited = Some(reason);
        }
        end
    }

    /// A sandbox that could not start the agent at all.
    fn sandbox_trouble(&self, ended: &Ended) -> Option<String> {
        let last = ended.tail.lines().rev().find(|line| !line.is_empty())?;
        let said: String = last.chars().take(200).collect();
        match self.sandbox.kind() {
            SandboxKind::Bubblewrap if last.starts_with("bwrap: ") => {
                Some(format!("the sandbox did not start the agent: {said}"))
            }
            SandboxKind::Podman | SandboxKind::Docker if matches!(ended.code, 125..=127) => {
                Some(format!("the container did not start the agent: {said}"))
            }
            _ => None,
        }
    }

    fn tell_gate(gate: &Gate, end: &AgentEnd) -> Result<(), AgentError> {
        if end.infra.as_ref().is_some_and(|trouble| trouble.crowded) {
            gate.was_too_much().map(drop)
        } else {
            gate.went_well()
        }
    }

    fn gate_dir(&self) -> PathBuf {
        let endpoint = ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"]
            .iter()
            .find_map(|name| self.env.get(*name))
            .map_or("", String::as_str);
        let name = crate::short_hash(&format!("{} {endpoint}", self.options.agent.name));
        self.shared.gates.join(name)
    }

    /// Puts the account's files into the private home. They are gone with it before the rollout ends.
    fn lend_account(&self, files: &[&str], room: &Room) -> Result<(), AgentError> {
        if self.sandbox.kind() == SandboxKind::Process {
            return Ok(());
        }
        let Some(home) = self.env.get("HOME") else {
            return Ok(());
        };
        for name in files {
            let source = Path::new(home).join(name);
            if let Ok(bytes) = fs::read(&source) {
                tree::place(&room.home, name, &FileBody::new(bytes, false))?;
            }
        }
        Ok(())
    }

    /// What the agent's environment holds: the driver's, less what is for the driver alone.
    fn agent_env(&self, inside: &Room) -> Env {
        let mut env = self.shared_env();
        let out = inside.out.display().to_string();
        env.insert("FAIRTRIAL_OUT".to_owned(), out);
        let inputs = inside.inputs.display().to_string();
        env.insert("FAIRTRIAL_TASK_FILES".to_owned(), inputs);
        env.insert("FAIRTRIAL_MODEL".to_owned(), self.model.clone());
        env.insert("OPENAI_MODEL".to_owned(), self.model.clone());
        if self.sandbox.kind() != SandboxKind::Process {
            env.insert("IS_SANDBOX".to_owned(), "1".to_owned());
        }
        env
    }

    /// What agent and tests share.
    fn shared_env(&self) -> Env {
        let mut env = self.env.clone();
        // A file of metrics is for the driver: an agent that knew it could write its own score.
        env.remove("FAIRTRIAL_METRICS");
        env.remove("FAIRTRIAL_PARAMS");
        for (name, value) in &self.task.env {
            if !self.shared.spec_env.contains(name) {
                env.insert(name.clone(), value.clone());
            }
        }
        env.insert("RUN_ID".to_owned(), self.trial.name.clone());
        env
    }

    /// Applies the reference solution.
    fn solve(&self, room: &Room) -> Result<AgentEnd, AgentError> {
        let began = Instant::now();
        let mut end = AgentEnd::default();
        match &self.task.solution {
            None => {
                let message = "the task has no reference solution (solution.patch, solution.sh or repo.end_commit_sha)";
                end.infra = Some(Trouble::permanent(message.to_owned()));
            }
            Some(Solution::Script { text }) => {
                let body = FileBody::text(text);
                tree::place(&room.inputs, "solution.sh", &body)?;
                let inside = self.sandbox.inside(room);
                let script = inside.inputs.join("solution.sh").display().to_string();
                let invocation = Invocation {
                    argv: vec!["sh".to_owned(), script],
                    reads_instructions: false,
                    account_files: &[],
                };
                return self.run_agent(&invocation, room, &inside);
            }
            Some(Solution::Patch { .. } | Solution::EndCommit) => {
                let patch = self.baseline.solution_patch();
                let applied = Git::own("apply")
                    .work_tree(&room.workspace)
                    .dir(&room.workspace.join(".git"))
                    .args(["--whitespace=nowarn", "--binary"])
                    .args([patch])
                    .run();
                if let Err(error) = applied {
                    let message = format!("the reference solution does not apply: {error}");
                    end.infra = Some(Trouble::permanent(message));
                }
            }
        }
        end.seconds = began.elapsed().as_secs_f64();
        Ok(end)
    }

    fn score(&self, agent_metrics: &Value, diff_lines: usize) -> Result<Scored, AgentError> {
        let scratch = self.work.join("score");
        let mut env = self.shared_env();
        env.retain(|name, _| !is_secret_name(name));
        let judge_key = self.options.judge.as_ref();
        let judge_key = judge_key.and_then(|judge| self.env.get(&judge.key_env));
        let scorer = Scorer {
            task: &self.task,
            baseline: &self.baseline,
            options: &self.options,
            sandbox: &*self.sandbox,
            env: &env,
            judge_key: judge_key.map(String::as_str),
            redactor: &self.redactor,
            log_limit: self.shared.log_limit,
        };
        let name = format!("fairtrial-{}", self.trial.name);
        let scored = scorer.score(&self.trial.dir, &scratch, &name)?;
        let heading = Heading {
            task_id: &self.task.id,
            run_id: &self.trial.name,
            agent_metrics,
            diff_lines,
        };
        scored.write(&self.trial.dir, &heading, &self.redactor)?;
        Ok(scored)
    }

    fn scored(&self, scored: &Scored, report: &mut Report) {
        report
            .metrics
            .extend(scored.metrics(self.options.pass_score));
        if let Some(broken) = &scored.broken {
            // Running the agent again would cost money and change nothing: `eval` scores again.
            report.blame(&format!("scoring: {broken}"), true);
        }
    }

    fn agent_report(&self, agent: &AgentEnd, diff_lines: usize, report: &mut Report) {
        let usage = &agent.usage;
        let (cost, source) = usage.cost(self.options.agent.price);
        let count = |count: Option<u64>| count.map(Value::from);
        for (name, value) in [
            ("agent_s", Some(Value::from(agent.seconds))),
            ("diff_lines", Some(Value::from(diff_lines))),
            ("tokens_total", count(usage.tokens())),
            ("tokens_input", count(usage.input_tokens)),
            ("tokens_output", count(usage.output_tokens)),
            ("tokens_cached", count(usage.cached_tokens)),
            ("tokens_reasoning", count(usage.reasoning_tokens)),
            ("tool_calls", count(usage.tool_calls)),
            ("cost_usd", cost.map(Value::from)),
        ] {
            report
                .metrics
                .extend(value.map(|value| (name.to_owned(), value)));
        }
        let mut fact = |name: &str, value: &str| {
            report.facts.insert(name.to_owned(), value.into());
        };
        fact("agent", &self.options.agent.name);
        fact("model", &self.model);
        fact("sandbox", self.sandbox.kind().word());
        fact("cost_source", source.word());
        if let Some(limited) = &agent.limited {
            fact("limited", limited);
        }
        if let Some(failed) = &agent.failed {
            fact(CAUSE_FACT, failed);
            report.end = RolloutEnd::Failed;
        }
    }

    fn write_results(&self, agent: &AgentEnd, diff_lines: usize) -> Result<(), AgentError> {
        self.write_json(
            "results.json",
            &json!({
                "run_id": self.trial.name,
                "task_id": self.task.id,
                "exit_code": agent.code,
                "limited": agent.limited,
                "failed": agent.failed,
                "infra": agent.infra.as_ref().map(|trouble| &trouble.message),
                "diff_lines": diff_lines,
                "agent_metrics": agent_metrics(agent, &self.options),
            }),
        )
    }

    fn write_metadata(&self, agent: &AgentEnd, report: &Report) -> Result<(), AgentError> {
        self.write_json(
            "metadata.json",
            &json!({
                "run_id": self.trial.name,
                "task_id": self.task.id,
                "title": self.task.title,
                "task_dir": self.shared.prepared_dir,
                "baseline": self.shared.baseline.file_name().map(|name| name.to_string_lossy()),
                "agent": self.options.agent.name,
                "model": self.model,
                "sandbox": self.sandbox.kind().word(),
                "seed": self.trial.key.seed,
                "rollout": self.trial.key.rollout,
                "phases": {
                    "wait_s": agent.waited,
                    "agent_s": agent.seconds,
                    "verify_s": report.metrics.get("verify_s"),
                },
            }),
        )
    }

    fn write_json(&self, name: &str, value: &Value) -> Result<(), AgentError> {
        let path = self.trial.dir.join(name);
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        let clean = self.redactor.redact(&text);
        fs::write(&path, clean.as_bytes()).at("write", &path)
    }
}

/// What the agent used, under the original's names and ours.
fn agent_metrics(agent: &AgentEnd, options: &RolloutOptions) -> Value {
    let (cost, source) = agent.usage.cost(options.agent.price);
    json!({
        "tokens_total": agent.usage.tokens(),
        "tool_calls_total": agent.usage.tool_calls,
        "input_tokens": agent.usage.input_tokens,
        "output_tokens": agent.usage.output_tokens,
        "cached_tokens": agent.usage.cached_tokens,
        "reasoning_tokens": agent.usage.reasoning_tokens,
        "money_spent_usd": cost,
        "cost_source": source.word(),
        "agent_seconds": agent.seconds,
    })
}
