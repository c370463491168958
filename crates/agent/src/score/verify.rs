//! Runs a task's tests on what the agent left: in a fresh copy of the baseline with the agent's diff on it, so that
//! nothing but the diff counts, and with the tests put in only now.

use super::script::{REPORT_FILE, ScriptReport};
use super::{Scorer, files};
use crate::error::{AgentError, At};
use crate::paths::is_python;
use crate::process::ProgramEnd;
use crate::sandbox::{PhaseEnd, PhaseJob, Room};
use crate::task::{FileBody, TestScript};
use crate::{git, tree};
use fairtrial_episode::{append_own, open_regular};
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::Phase;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// What one test said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestResult {
    /// Its path.
    #[serde(skip)]
    pub path: String,
    /// Its rubric.
    #[serde(skip)]
    pub rubric_id: String,
    /// Whether it passed.
    pub success: bool,
    /// The last of what it wrote.
    pub output: String,
    /// Its exit code.
    pub exit_code: i32,
    /// Whether it was ended for its time, which counts as not passed: an agent's endless loop is the agent's.
    pub timed_out: bool,
    /// Whether the memory limit of its sandbox ended it, which counts in the same way.
    pub out_of_memory: bool,
    /// Seconds.
    pub seconds: f64,
}

/// What the tests of a rollout said.
#[derive(Default)]
pub(super) struct Verified {
    pub(super) tests: Vec<TestResult>,
    pub(super) script: ScriptReport,
    /// Why there is no score, where the machine or the task is to blame.
    pub(super) broken: Option<String>,
    /// What a reader of the record should know.
    pub(super) notes: Vec<String>,
}

/// How a script ended.
struct Ran {
    ended: ProgramEnd,
    out_of_memory: bool,
    /// Why it did not run at all.
    trouble: Option<String>,
    /// What a reader of the record should know.
    notes: Vec<String>,
}

impl Scorer<'_> {
    /// The folders of the scoring phase, in an empty one.
    pub(super) fn room(&self, scratch: &Path, name: &str) -> Result<Room, AgentError> {
        let workspace = self.fresh.map(Path::to_owned);
        let room = Room {
            workspace: workspace.unwrap_or_else(|| scratch.join("workspace")),
            inputs: scratch.join("inputs"),
            out: scratch.join("out"),
            home: scratch.join("home"),
            tmp: scratch.join("tmp"),
            name: format!("{name}-verify"),
        };
        self.sandbox.make_room(&room)?;
        Ok(room)
    }

    /// Runs the tests and the script.
    pub(super) fn verify(&self, dir: &Path, room: &Room) -> Result<Verified, AgentError> {
        let log = dir.join("logs/eval.log");
        write_atomic_bytes(&log, Durability::Process, b"")?;
        if self.fresh.is_none() {
            tree::copy(&self.baseline.tree(), &room.workspace, None)?;
            apply_diff(&dir.join(files::DIFF_FILE), &room.workspace)?;
        }
        for test in self.task.tests.iter().chain(&self.task.evaluation_script) {
            if let Some(content) = &test.content {
                let executable = content.starts_with("#!");
                let body = FileBody::new(content.clone().into_bytes(), executable);
                tree::place(&room.workspace, &test.path, &body)?;
            }
        }
        self.sandbox.hand_over(&[&room.workspace])?;
        let mut verified = Verified::default();
        for test in &self.task.tests {
            let mut result = self.run_script(test, room, &log)?;
            verified.notes.append(&mut result.notes);
            if let Some(broken) = broken(test, &result) {
                verified.broken = Some(broken);
                return Ok(verified);
            }
            let ended = result.ended;
            verified.tests.push(TestResult {
                path: test.path.clone(),
                rubric_id: test.rubric_id.clone(),
                success: ended.code == 0 && ended.stopped.is_none(),
                output: ended.tail,
                timed_out: ended.timed_out,
                out_of_memory: result.out_of_memory,
                exit_code: ended.code,
                seconds: ended.seconds,
            });
        }
        if let Some(script) = &self.task.evaluation_script {
            let mut result = self.run_script(script, room, &log)?;
            verified.notes.append(&mut result.notes);
            verified.broken = self.broken_script(script, &result);
        }
        verified.notes.dedup();
        match ScriptReport::read(&room.out.join(REPORT_FILE)) {
            Ok(report) => verified.script = report,
            Err(wrong) => verified.broken = verified.broken.or(Some(wrong)),
        }
        Ok(verified)
    }

    /// Why what the evaluation script says is not known, where it is not.
    fn broken_script(&self, script: &TestScript, result: &Ran) -> Option<String> {
        if result.ended.timed_out {
            // What it would have said is not known, so there is no score; a test's hanging is an answer.
            return Some(format!(
                "the evaluation script passed its time limit of {:.0} s (`verify_timeout`)",
                self.options.verify_timeout_s
            ));
        }
        if let Some(limit) = &result.ended.stopped {
            return Some(format!("the evaluation script was ended at {limit}"));
        }
        if result.out_of_memory {
            let message = "the evaluation script was ended at the memory limit (`limits.memory`)";
            return Some(message.to_owned());
        }
        let code = result.ended.code;
        (code != 0).then(|| {
            let own = || format!("the evaluation script ended with exit code {code}");
            broken(script, result).unwrap_or_else(own)
        })
    }

    fn run_script(&self, test: &TestScript, room: &Room, log: &Path) -> Result<Ran, AgentError> {
        let inside = self.sandbox.inside(room);
        let mut env = (self.env)(&inside);
        let out = inside.out.display().to_string();
        env.insert("FAIRTRIAL_OUT".to_owned(), out.clone());
        env.insert(
            "FAIRTRIAL_EVALUATION".to_owned(),
            format!("{out}/{REPORT_FILE}"),
        );
        let argv = command(test);
        let heading = format!("$ {}\n", argv.join(" "));
        append(log, &heading)?;
        let end = self.sandbox.run(
            &PhaseJob {
                phase: Phase::Tests,
                room,
                argv: &argv,
                env: &env,
                stdin: None,
                log,
                timeout: Duration::from_secs_f64(self.options.verify_timeout_s),
                given: &self.baseline.tree(),
                redactor: self.redactor,
            },
            None,
        )?;
        let PhaseEnd { ended, trouble, .. } = end;
        let short = !ended.timed_out && end.short_of_memory;
        let out_of_memory = short && ended.code != 0;
        let told = if ended.timed_out {
            let most = self.options.verify_timeout_s;
            format!("[ended after its time limit of {most:.0} s (`verify_timeout`): not passed]\n")
        } else if let Some(limit) = &ended.stopped {
            format!("[ended at {limit}: not passed]\n")
        } else if out_of_memory {
            "[ended at the memory limit (`limits.memory`): not passed]\n".to_owned()
        } else if short {
            "[exit code 0, after one of its processes was ended at the memory limit]\n".to_owned()
        } else {
            format!("[exit code {}]\n", ended.code)
        };
        append(log, &told)?;
        Ok(Ran {
            ended,
            out_of_memory,
            trouble,
            notes: end.notes,
        })
    }
}

/// Why a script says nothing about the agent, where it could not do its work.
fn broken(test: &TestScript, ran: &Ran) -> Option<String> {
    let (path, ended) = (&test.path, &ran.ended);
    if ended.stopped.is_some() || ran.out_of_memory {
        return None;
    }
    if let Some(trouble) = &ran.trouble {
        return Some(format!("test `{path}`: {trouble}"));
    }
    let is_pytest = is_python(path) && test.command.is_none();
    let no_runner = ended.tail.contains("No module named pytest");
    match ended.code {
        126 | 127 => Some(format!(
            "test `{path}` could not be run (exit code {}): {}",
            ended.code,
            ended.last_line()
        )),
        1 if is_pytest && no_runner => Some(format!("test `{path}`: pytest is not installed")),
        3..=5 if is_pytest => Some(format!(
            "pytest could not use test `{path}` (exit code {})",
            ended.code
        )),
        _ => None,
    }
}

fn append(log: &Path, text: &str) -> Result<(), AgentError> {
    use std::io::Write;
    let written = append_own(log).and_then(|mut file| file.write_all(text.as_bytes()));
    written.at("write", log)
}

/// How a script is run: as it says, else by its kind.
fn command(test: &TestScript) -> Vec<String> {
    let path = &test.path;
    if let Some(command) = &test.command {
        let filled = command.replace("{path}", &shell_words::quote(path));
        if let Ok(words) = shell_words::split(&filled)
            && !words.is_empty()
        {
            return words;
        }
    }
    let words: &[&str] = if test
        .content
        .as_ref()
        .is_some_and(|text| text.starts_with("#!"))
    {
        return vec![format!("./{path}")];
    } else if is_python(path) {
        &[
            "python3",
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            path,
        ]
    } else {
        &["sh", path]
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Puts the agent's diff on a fresh workspace.
fn apply_diff(diff: &Path, workspace: &Path) -> Result<(), AgentError> {
    // Git would wait at a pipe.
    let file = open_regular(diff).at("open", diff)?;
    if file.metadata().at("look at", diff)?.len() == 0 {
        return Ok(());
    }
    git::apply(diff, workspace)
}
