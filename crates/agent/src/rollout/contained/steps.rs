//! The steps of a rollout in its container: each is made ready, the agent works, then the tests say what it earned.

use crate::adapter::INSTRUCTION_FILE;
use crate::collect::Collector;
use crate::contained::{Artifact, Contained, Health, SOLUTION, Step, TESTS};
use crate::error::{AgentError, At};
use crate::process::ProgramEnd;
use crate::provider::Trouble;
use crate::rollout::agent_phase::AgentEnd;
use crate::rollout::driven::Drive;
use crate::rollout::reward::{StepEnd, StepEnds};
use crate::sandbox::contract::{Env, Room};
use crate::sandbox::lasting::{ARTIFACTS, Acting, Lasting, OUT, VERIFIER};
use crate::sandbox::run::{PhaseEnd, PhaseJob};
use crate::task_file::FileBody;
use crate::tree;
use fairtrial_episode::{append_own, read_own};
use fairtrial_spec::Phase;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What the tests print.
const PRINTED: &str = "test-stdout.txt";
/// Bytes of it that are shown.
const SHOWN: u64 = 4 << 20;
/// Where the solution's words go.
const ORACLE: &str = "oracle.txt";
/// Seconds for the `setup.sh` of a step.
const STEP_SETUP: f64 = 600.0;

/// A rollout in its container.
pub(super) struct Inside<'a> {
    pub(super) drive: &'a Drive<'a>,
    pub(super) contained: &'a Contained,
    pub(super) container: &'a Rc<Lasting>,
    pub(super) room: Room,
    /// Whether the image brings tests of its own.
    pub(super) has_tests: bool,
}

/// A script for the shell that tasks are written for, where the image has it.
fn shell(script: &str) -> Vec<String> {
    let choose =
        "if command -v bash >/dev/null 2>&1; then exec bash -c \"$0\"; else exec sh -c \"$0\"; fi";
    ["sh", "-c", choose, script].map(str::to_owned).to_vec()
}

/// A script whose words go into a file: what it leaves running holds nothing of ours open.
fn into_file(script: &str, file: &str) -> Vec<String> {
    shell(&format!("({script}) > {file} 2>&1"))
}

impl Inside<'_> {
    pub(super) fn act_as(&self, user: Option<String>) {
        let workdir = self.contained.workdir.clone();
        self.container.act_as(Acting { user, workdir });
    }

    /// Runs a command of ours or of the task.
    fn run(
        &self,
        (phase, log): (Phase, &str),
        argv: &[String],
        (more, seconds): (Env, f64),
    ) -> Result<PhaseEnd, AgentError> {
        let drive = self.drive;
        let mut env = drive.env_of(phase, &drive.sandbox.inside(&self.room));
        env.extend(more);
        let job = PhaseJob {
            phase,
            room: &self.room,
            argv,
            env: &env,
            stdin: None,
            fixed: &[],
            log: &drive.trial.dir.join(log),
            timeout: Duration::from_secs_f64(seconds),
            given: &drive.baseline.tree(),
            redactor: &drive.redactor,
        };
        drive.sandbox.run(&job, None)
    }

    /// Waits until the container, or a step, is ready.
    pub(super) fn wait_for(&self, health: Option<&Health>) -> Result<(), AgentError> {
        let Some(health) = health else { return Ok(()) };
        let (began, mut failed) = (Instant::now(), 0);
        loop {
            let is_early = began.elapsed().as_secs_f64() < health.start_period_s;
            let how = (Env::new(), health.timeout_s);
            let end = self.run(
                (Phase::Setup, "logs/setup.log"),
                &shell(&health.command),
                how,
            )?;
            if end.ended.code == 0 && !end.ended.timed_out {
                return Ok(());
            }
            failed += u32::from(!is_early);
            if failed >= health.retries.max(1) {
                return Err(setup_failed(
                    &format!("the task's health check failed {failed} times"),
                    &end.ended,
                ));
            }
            let pause = if is_early {
                health.start_interval_s
            } else {
                health.interval_s
            };
            sleep(Duration::from_secs_f64(pause.clamp(0.0, 3600.0)));
        }
    }

    /// Does what the spec wants done before the agent, as the container's root.
    pub(super) fn set_up(&self) -> Result<Option<f64>, AgentError> {
        if self.drive.options.setup.is_empty() {
            return Ok(None);
        }
        self.act_as(Some("0".to_owned()));
        let argv = self.drive.setup_command(&self.room)?;
        Ok(Some(self.drive.run_setup(&argv, &self.room)?.seconds))
    }

    /// All steps, as far as they come.
    pub(super) fn steps(&self) -> Result<(AgentEnd, StepEnds), AgentError> {
        let mut ends = StepEnds {
            rule: self.contained.rule,
            steps: Vec::new(),
        };
        let mut whole: Option<AgentEnd> = None;
        for (place, step) in self.contained.steps.iter().enumerate() {
            self.drive.step.set(place);
            if place > 0 {
                // The tests of the step before are not for the agent.
                self.container
                    .tidy(&format!("rm -rf {TESTS}; {}", emptied(VERIFIER)));
            }
            let ready = self.begin(step);
            if let (Err(error), true) = (&ready, place > 0) {
                ends.steps
                    .push(StepEnd::unready(&step.name, &error.to_string()));
                break;
            }
            ready?;
            let mut agent = self.agent(step)?;
            self.keep(step)?;
            if agent.infra.is_none() {
                let end = match self.verify(step)? {
                    Ok(end) => end,
                    Err(trouble) => {
                        agent.infra = Some(trouble);
                        StepEnd::default()
                    }
                };
                ends.steps.push(end);
            }
            let is_over = agent.infra.is_some() || ends.is_over(step);
            whole = Some(match whole {
                None => agent,
                Some(before) => before.then(agent),
            });
            if is_over {
                break;
            }
        }
        Ok((whole.unwrap_or_default(), ends))
    }

    /// Makes a step ready: its files, its setup, its instructions.
    fn begin(&self, step: &Step) -> Result<(), AgentError> {
        self.act_as(step.agent_user.clone());
        if let Some(folder) = &step.workdir {
            let place = self.container.workdir();
            let from = self.drive.baseline.folder(folder);
            self.container.put(&from, &place)?;
            if from.join("setup.sh").is_file() {
                let script = format!(
                    "$(command -v bash || echo sh) '{}/setup.sh'",
                    place.trim_end_matches('/')
                );
                let log = (Phase::Setup, "logs/setup.log");
                let end = self.run(log, &shell(&script), (Env::new(), STEP_SETUP))?;
                if end.ended.code != 0 {
                    return Err(setup_failed("`setup.sh` of the step failed", &end.ended));
                }
            }
        }
        if !step.name.is_empty() {
            self.wait_for(step.health.as_ref())?;
        }
        let told = FileBody::text(&step.instructions);
        let path = tree::place(&self.room.inputs, INSTRUCTION_FILE, &told)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).at("open", &path)
    }

    fn agent(&self, step: &Step) -> Result<AgentEnd, AgentError> {
        let drive = self.drive;
        if drive.options.agent.name == "oracle" {
            return self.solve(step);
        }
        let mut agent = drive.agent(&self.room, &drive.baseline)?;
        // Then the program in it did not end by itself, which is nobody's fault but the agent's.
        if agent.infra.as_ref().is_some_and(|trouble| !trouble.crowded)
            && self.container.has_ended()
        {
            agent.infra = None;
            agent.failed = Some("the agent ended its container".to_owned());
        }
        Ok(agent)
    }

    /// Runs the reference solution. How it ends says nothing: its reward does.
    fn solve(&self, step: &Step) -> Result<AgentEnd, AgentError> {
        let Some(folder) = &step.solution else {
            let message = "the task has no reference solution (`solution/solve.sh`)";
            return Ok(AgentEnd {
                infra: Some(Trouble::permanent(message.to_owned())),
                ..AgentEnd::default()
            });
        };
        self.container
            .put(&self.drive.baseline.folder(folder), SOLUTION)?;
        self.container.tidy(&format!(
            "chmod -R a+rX {SOLUTION}; chmod a+x {SOLUTION}/solve.sh"
        ));
        let mut env = self.drive.resolved(&self.contained.solution_env)?;
        env.entry("DEBIAN_FRONTEND".to_owned())
            .or_insert_with(|| "noninteractive".to_owned());
        let argv = into_file(&format!("{SOLUTION}/solve.sh"), &format!("{OUT}/{ORACLE}"));
        let seconds = self.drive.timeout_s()?;
        let end = self.run((Phase::Agent, "logs/agent.log"), &argv, (env, seconds))?;
        self.readable();
        self.copy_words(&self.room.out.join(ORACLE), "logs/agent.log")?;
        let mut agent = AgentEnd {
            code: end.ended.code,
            seconds: end.ended.seconds,
            limited: end.ended.stopped,
            notes: end.notes,
            ..AgentEnd::default()
        };
        if let Some(trouble) = end.trouble {
            agent.infra = Some(Trouble::permanent(trouble));
        } else if agent.code != 0 && agent.limited.is_none() {
            agent.notes.push(format!(
                "the reference solution ended with exit code {}",
                agent.code
            ));
        }
        Ok(agent)
    }

    /// Puts the tests in and runs them; what stands in the way of that is the machine's, unless the agent ended the
    /// container.
    fn verify(&self, step: &Step) -> Result<Result<StepEnd, Trouble>, AgentError> {
        if self.container.has_ended() {
            let why = "the agent ended its container";
            return Ok(Ok(StepEnd::unready(&step.name, why)));
        }
        if !self.has_tests {
            // What the agent put there in the name of the tests is none of them.
            self.container.tidy(&format!("rm -rf {TESTS}"));
        }
        self.container.tidy(&emptied(VERIFIER));
        for folder in &step.tests {
            self.container
                .put(&self.drive.baseline.folder(folder), TESTS)?;
        }
        self.container
            .tidy(&format!("chmod -R a+rX {TESTS}; chmod a+x {TESTS}/*.sh"));
        self.act_as(step.tests_user.clone());
        let log = self.drive.trial.dir.join("logs/eval.log");
        let head = format!("$ {TESTS}/test.sh\n");
        append(&log, head.as_bytes())?;
        let argv = into_file(
            &format!("{TESTS}/test.sh"),
            &format!("{VERIFIER}/{PRINTED}"),
        );
        let seconds = self
            .drive
            .options
            .verify_timeout_s
            .unwrap_or(step.tests_timeout_s);
        let env = self.drive.resolved(&step.tests_env)?;
        let end = self.run((Phase::Tests, "logs/eval.log"), &argv, (env, seconds))?;
        self.readable();
        let folder = beside(&self.room, "verifier");
        self.copy_words(&folder.join(PRINTED), "logs/eval.log")?;
        let tail = format!("[exit code {}]\n", end.ended.code);
        append(&log, tail.as_bytes())?;
        if let (Some(trouble), true) = (end.trouble, !self.container.has_ended()) {
            return Ok(Err(Trouble::permanent(format!("the tests: {trouble}"))));
        }
        let said = read_own(&folder.join(PRINTED), SHOWN).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let said = self.drive.redactor.redact(&said);
        let mut read = StepEnd::read(&folder, &end.ended, &said);
        read.name.clone_from(&step.name);
        let kept = self.drive.trial.dir.join("verifier").join(&step.name);
        self.collector().keep(&folder, &kept, &[])?;
        Ok(Ok(read))
    }

    /// Keeps what the agent left, and what the task wants kept.
    fn keep(&self, step: &Step) -> Result<(), AgentError> {
        for command in &self.contained.collect {
            self.act_as(command.user.clone());
            let log = (Phase::Tests, "logs/eval.log");
            let _ = self.run(
                log,
                &shell(&command.command),
                (Env::new(), command.timeout_s),
            )?;
        }
        self.readable();
        let mut to = self.drive.trial.dir.join("artifacts");
        if !step.name.is_empty() {
            to = to.join("steps").join(&step.name);
        }
        let collector = self.collector();
        collector.keep(&self.room.out, &to, &[])?;
        collector.keep(
            &beside(&self.room, "artifacts"),
            &to.join(&ARTIFACTS[1..]),
            &[],
        )?;
        let taken = self.drive.work.join("taken");
        for artifact in self.contained.artifacts.iter().chain(&step.artifacts) {
            let place = place_of(artifact);
            if crate::paths::is_inside(&place) {
                // What is not there is not kept.
                let _ = self.container.take(&artifact.source, &taken.join(place));
            }
        }
        collector.keep(&taken, &to, &[])?;
        let _ = fs::remove_dir_all(&taken);
        if self.contained.steps.len() > 1 {
            self.container.tidy(&emptied(OUT));
        }
        Ok(())
    }

    fn collector(&self) -> Collector<'_> {
        Collector {
            start: &self.drive.baseline,
            baseline: &self.drive.baseline,
            task: &self.drive.task,
            redactor: &self.drive.redactor,
        }
    }

    /// Lets us read what those inside have written.
    fn readable(&self) {
        self.container.tidy("chmod -R a+rwX /logs");
    }

    /// Puts the words of a file inside into a log.
    fn copy_words(&self, from: &Path, log: &str) -> Result<(), AgentError> {
        let words = read_own(from, SHOWN).unwrap_or_default();
        let words = self.drive.redactor.redact_bytes(words);
        append(&self.drive.trial.dir.join(log), &words)
    }
}

/// Adds to a log of the rollout.
fn append(log: &Path, bytes: &[u8]) -> Result<(), AgentError> {
    use std::io::Write;
    let folder = log.parent().unwrap_or(log);
    fs::create_dir_all(folder).at("create", folder)?;
    append_own(log)
        .and_then(|mut file| file.write_all(bytes))
        .at("write", log)
}

/// Where an artifact goes, below the rollout's artifacts.
fn place_of(artifact: &Artifact) -> String {
    let named = artifact.destination.as_deref().unwrap_or(&artifact.source);
    named.trim_start_matches('/').to_owned()
}

fn emptied(folder: &str) -> String {
    format!("find {folder} -mindepth 1 -delete 2>/dev/null || rm -rf {folder}/* {folder}/.[!.]*")
}

fn setup_failed(what: &str, ended: &ProgramEnd) -> AgentError {
    AgentError::Setup {
        message: format!("{what}\n{}", ended.last_lines()),
        permanent: false,
    }
}

/// A folder beside the agent's logs.
pub(super) fn beside(room: &Room, name: &str) -> PathBuf {
    room.out.with_file_name(name)
}
