//! The setup phase: what a task or a spec wants done in the workspace before the agent comes. What it changes belongs to
//! what the agent starts from; where it fails, that is not the agent's failure.

use crate::baseline::Baseline;
use crate::error::AgentError;
use crate::process::{self, ProgramEnd};
use crate::rollout::driven::Drive;
use crate::sandbox::contract::Room;
use crate::sandbox::run::{PhaseEnd, PhaseJob};
use crate::task_file::FileBody;
use crate::{adapter, tree};
use fairtrial_spec::Phase;
use std::time::Duration;

/// Seconds for a setup whose spec does not say.
const SETUP_TIMEOUT: f64 = 600.0;
/// The name of the task's own script, among the task's files.
const SETUP_FILE: &str = "setup.sh";
/// Exit codes of a shell that did not find a program, or may not run it.
const NOT_RUN: [i32; 2] = [126, 127];

impl Drive<'_> {
    /// Whether anything is to be done before the agent.
    fn has_setup(&self) -> bool {
        !self.options.setup.is_empty() || self.task.setup.is_some()
    }

    /// Does what is to be done in a workspace that is a copy of the baseline's; gives what the agent starts from, and
    /// the seconds that it took. The workspace is gone where there was a setup.
    pub(super) fn set_up(&self, room: &Room) -> Result<Option<(Baseline, f64)>, AgentError> {
        if !self.has_setup() {
            return Ok(None);
        }
        let room = Room {
            name: format!("{}-setup", self.name()),
            ..room.clone()
        };
        let argv = self.setup_command(&room)?;
        let ended = self.run_setup(&argv, &room)?;
        process::end_descendants();
        let start = self.work.join("start");
        let start = self.baseline.moved_on(&room.workspace, start)?;
        Ok(Some((start, ended.seconds)))
    }

    /// Does it again in a workspace for scoring alone, whose rollout is long over.
    pub(super) fn set_up_again(&self) -> Result<Option<Baseline>, AgentError> {
        if !self.has_setup() {
            return Ok(None);
        }
        let room = self.room()?;
        let owner = self.sandbox.owner();
        tree::copy(&self.baseline.tree(), &room.workspace, owner)?;
        Ok(self.set_up(&room)?.map(|(start, _)| start))
    }

    /// What the spec says, else the task's own script.
    pub(super) fn setup_command(&self, room: &Room) -> Result<Vec<String>, AgentError> {
        let inside = self.sandbox.inside(room);
        if let (true, Some(text)) = (self.options.setup.is_empty(), &self.task.setup) {
            let executable = text.starts_with("#!");
            let body = FileBody::new(text.clone().into_bytes(), executable);
            tree::place(&room.inputs, SETUP_FILE, &body)?;
            let path = inside.inputs.join(SETUP_FILE).display().to_string();
            let shell = (!executable).then(|| "sh".to_owned());
            return Ok(shell.into_iter().chain([path]).collect());
        }
        let brief = self.brief(&inside)?;
        let words = self.options.setup.iter();
        words.map(|word| adapter::expand(word, &brief)).collect()
    }

    pub(super) fn run_setup(&self, argv: &[String], room: &Room) -> Result<ProgramEnd, AgentError> {
        let env = self.env_of(Phase::Setup, &self.sandbox.inside(room));
        let limit = self.options.setup_timeout_s.unwrap_or(SETUP_TIMEOUT);
        let job = PhaseJob {
            phase: Phase::Setup,
            room,
            argv,
            env: &env,
            stdin: None,
            fixed: &[],
            log: &self.trial.dir.join("logs/setup.log"),
            timeout: Duration::from_secs_f64(limit),
            given: &self.baseline.tree(),
            redactor: &self.redactor,
        };
        let failed = |message: String, permanent| {
            Err(AgentError::Setup {
                message: format!("setup: {message}"),
                permanent,
            })
        };
        let PhaseEnd {
            ended,
            short_of_memory,
            trouble,
            ..
        } = match self.sandbox.run(&job, None) {
            Ok(end) => end,
            Err(
                error @ AgentError::Io {
                    action: "start", ..
                },
            ) => {
                return failed(error.to_string(), true);
            }
            Err(error) => return Err(error),
        };
        let said = ended.last_lines();
        if ended.timed_out {
            return failed(
                format!("it passed its time limit of {limit:.0} s (`setup_timeout`)\n{said}"),
                false,
            );
        }
        if let Some(limit) = &ended.stopped {
            return failed(format!("it was ended at {limit}\n{said}"), true);
        }
        if short_of_memory && ended.code != 0 {
            let message = "it was ended at the memory limit (`limits.memory`)";
            return failed(format!("{message}\n{said}"), true);
        }
        if let Some(trouble) = trouble {
            return failed(trouble, true);
        }
        if ended.code != 0 {
            let message = format!("it ended with exit code {}\n{said}", ended.code);
            return failed(message, NOT_RUN.contains(&ended.code));
        }
        Ok(ended)
    }
}
