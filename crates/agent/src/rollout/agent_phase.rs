//! The agent's phase: it is started in its sandbox, watched for its limits, and its end is told apart from the
//! provider's and the sandbox's trouble.

use crate::adapter::{self, Brief, INSTRUCTION_FILE, Invocation, Work};
use crate::baseline::Baseline;
use crate::error::AgentError;
use crate::gate::Gate;
use crate::process::Watcher;
use crate::provider::{self, Trouble};
use crate::rollout::driven::Drive;
use crate::sandbox::contract::Room;
use crate::sandbox::run::{PhaseEnd, PhaseJob};
use crate::task::Solution;
use crate::task_file::FileBody;
use crate::usage::{Usage, UsageReader};
use crate::{git, tree};
use fairtrial_spec::{Phase, SandboxKind};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Why an agent failed that needed more memory than its sandbox has.
const OUT_OF_MEMORY: &str = "the agent was ended at the memory limit of its sandbox";

/// What ended an agent before it was done.
#[derive(Debug, Clone, Default)]
pub(super) struct AgentEnd {
    pub(super) code: i32,
    pub(super) seconds: f64,
    pub(super) waited: f64,
    pub(super) limited: Option<String>,
    pub(super) failed: Option<String>,
    /// Whether that was the memory limit of the sandbox.
    pub(super) out_of_memory: bool,
    /// Whether that limit ended one of its processes, and the agent went on and ended well.
    pub(super) coped: bool,
    pub(super) infra: Option<Trouble>,
    /// What an agent that ended well said last of its provider's trouble.
    pub(super) last_words: Option<String>,
    pub(super) usage: Usage,
    /// What a reader of the record should know.
    pub(super) notes: Vec<String>,
}

impl AgentEnd {
    /// This one, and then another of the same rollout.
    pub(super) fn then(self, later: Self) -> Self {
        Self {
            code: later.code,
            seconds: self.seconds + later.seconds,
            waited: self.waited + later.waited,
            limited: self.limited.or(later.limited),
            failed: self.failed.or(later.failed),
            out_of_memory: self.out_of_memory || later.out_of_memory,
            coped: self.coped || later.coped,
            infra: self.infra.or(later.infra),
            last_words: later.last_words,
            usage: self.usage.plus(&later.usage),
            notes: [self.notes, later.notes].concat(),
        }
    }
}

/// Follows what an agent uses, for its limits and its record.
struct Meter<'a> {
    drive: &'a Drive<'a>,
    out: &'a Path,
    said: UsageReader,
}

impl Meter<'_> {
    fn used(&self) -> Usage {
        self.said.usage().with_file(self.out)
    }
}

impl Watcher for Meter<'_> {
    fn hear(&mut self, text: &str) {
        self.said.hear(text);
    }

    fn look(&mut self) -> Option<String> {
        let limits = &self.drive.options.agent;
        let limited = limits.max_tokens.is_some() || limits.max_cost.is_some();
        limited.then(|| self.drive.spent(&self.used())).flatten()
    }
}

impl Drive<'_> {
    /// Lets the agent work, or what stands for one.
    pub(super) fn agent(&self, room: &Room, start: &Baseline) -> Result<AgentEnd, AgentError> {
        let inside = self.sandbox.inside(room);
        match adapter::work(&self.brief(&inside)?)? {
            Work::Nothing => Ok(AgentEnd::default()),
            Work::Solve => self.solve(room, start),
            Work::Converse => self.converse(room, start),
            Work::Run(invocation) => self.run_agent(&invocation, room, start),
        }
    }

    /// What a command of the rollout may ask for.
    pub(super) fn brief<'a>(&'a self, inside: &'a Room) -> Result<Brief<'a>, AgentError> {
        Ok(Brief {
            model: &self.model,
            choice: &self.options.agent,
            timeout_s: self.timeout_s()?,
            trial: self.trial,
            inside,
        })
    }

    fn run_agent(
        &self,
        invocation: &Invocation,
        room: &Room,
        start: &Baseline,
    ) -> Result<AgentEnd, AgentError> {
        let gate = Gate::open(&self.gate_dir())?;
        let place = gate.enter()?;
        self.lend_account(invocation.account_files, room)?;
        let env = self.env_of(Phase::Agent, &self.sandbox.inside(room));
        let instructions = room.inputs.join(INSTRUCTION_FILE);
        let job = PhaseJob {
            phase: Phase::Agent,
            room,
            argv: &invocation.argv,
            env: &env,
            stdin: invocation
                .reads_instructions
                .then_some(instructions.as_path()),
            fixed: &[],
            log: &self.trial.dir.join("logs/agent.log"),
            timeout: Duration::from_secs_f64(self.timeout_s()?),
            given: &start.tree(),
            redactor: &self.redactor,
        };
        let mut meter = Meter {
            drive: self,
            out: &room.out,
            said: UsageReader::default(),
        };
        let ended = match self.sandbox.run(&job, Some(&mut meter)) {
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
        meter.said.end_line();
        let mut end = self.judge_end(ended, meter.used());
        end.waited = place.waited;
        drop(place);
        Self::tell_gate(&gate, &end)?;
        Ok(end)
    }

    /// Whether a limit on tokens or money is reached.
    pub(super) fn spent(&self, usage: &Usage) -> Option<String> {
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
    fn judge_end(&self, phase: PhaseEnd, usage: Usage) -> AgentEnd {
        let PhaseEnd {
            ended,
            short_of_memory,
            trouble,
            notes,
        } = phase;
        let mut end = AgentEnd {
            notes,
            code: ended.code,
            seconds: ended.seconds,
            usage,
            ..AgentEnd::default()
        };
        let short = ended.stopped.is_none() && short_of_memory;
        end.coped = short && ended.code == 0;
        if let Some(reason) = ended.stopped {
            end.limited = Some(reason);
        } else if short && !end.coped {
            end.failed = Some(OUT_OF_MEMORY.to_owned());
            end.out_of_memory = true;
        } else if ended.code != 0 {
            if let Some(trouble) = provider::trouble(&ended.tail) {
                end.infra = Some(trouble);
            } else if let Some(broken) = trouble {
                end.infra = Some(Trouble::permanent(broken));
            } else {
                end.failed = Some(format!("the agent ended with exit code {}", ended.code));
                end.notes.extend(self.withheld_keys());
            }
        } else {
            end.limited = self.spent(&end.usage);
            end.last_words = provider::trouble(&ended.tail).map(|trouble| trouble.message);
        }
        end
    }

    pub(super) fn tell_gate(gate: &Gate, end: &AgentEnd) -> Result<(), AgentError> {
        if let Some(trouble) = end.infra.as_ref().filter(|trouble| trouble.crowded) {
            gate.was_too_much(trouble.wait).map(drop)
        } else {
            gate.went_well()
        }
    }

    pub(super) fn gate_dir(&self) -> PathBuf {
        let endpoint = ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"]
            .iter()
            .find_map(|name| self.env.get(*name))
            .map_or("", String::as_str);
        let own = self.options.agent.endpoint.as_ref();
        let endpoint = own.map_or(endpoint, |own| &own.url);
        let name = crate::short_hash(format!("{} {endpoint}", self.options.agent.name));
        self.shared.gates.join(name)
    }

    /// Puts the account's files into the private home. They are gone with it before the rollout ends.
    fn lend_account(&self, files: &[&str], room: &Room) -> Result<(), AgentError> {
        // In a container that lasts the home is the image's, and stays there for the tests.
        if self.sandbox.kind() == SandboxKind::Process || self.container.is_some() {
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
        self.sandbox.hand_over(&[&room.home])
    }

    /// Applies the reference solution.
    fn solve(&self, room: &Room, start: &Baseline) -> Result<AgentEnd, AgentError> {
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
                return self.run_agent(&invocation, room, start);
            }
            Some(Solution::Patch { .. } | Solution::EndCommit) => {
                let applied = git::apply(&self.baseline.solution_patch(), &room.workspace, &[]);
                if let Err(error) = applied {
                    let message = format!("the reference solution does not apply: {error}");
                    end.infra = Some(Trouble::permanent(message));
                }
                self.sandbox.hand_over(&[&room.workspace])?;
            }
        }
        end.seconds = began.elapsed().as_secs_f64();
        Ok(end)
    }
}
