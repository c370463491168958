//! Runs a task's tests on what the agent left: in a fresh copy of the baseline with the agent's diff on it, so that
//! nothing but the diff counts, and with the tests put in only now.

use super::files;
use super::scored::TestResult;
use super::script::{REPORT_FILE, ScriptReport};
use crate::error::{AgentError, At};
use crate::paths::is_python;
use crate::process::{self, LoggedProgram};
use crate::sandbox::contract::Room;
use crate::score::scorer::Scorer;
use crate::task::{FileBody, TestScript};
use crate::{git, tree};
use fairtrial_episode::{append_own, open_regular};
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::SandboxKind;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How a script ended.
struct Ran {
    ended: process::ProgramEnd,
    out_of_memory: bool,
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
            name: format!("{name}-verify"),
        };
        fs::create_dir_all(&room.out).at("create", &room.out)?;
        if self.sandbox.kind() != SandboxKind::Process {
            for folder in [&room.inputs, &room.home] {
                fs::create_dir(folder).at("create", folder)?;
            }
        }
        Ok(room)
    }

    /// The tests' results, the script's report, and why there is no score where the machine or the task is to blame.
    pub(super) fn verify(
        &self,
        dir: &Path,
        room: &Room,
    ) -> Result<(Vec<TestResult>, ScriptReport, Option<String>), AgentError> {
        let log = dir.join("logs/eval.log");
        write_atomic_bytes(&log, Durability::Process, b"")?;
        if self.fresh.is_none() {
            tree::copy(&self.baseline.tree(), &room.workspace)?;
            apply_diff(&dir.join(files::DIFF_FILE), &room.workspace)?;
        }
        for test in self.task.tests.iter().chain(&self.task.evaluation_script) {
            if let Some(content) = &test.content {
                let executable = content.starts_with("#!");
                let body = FileBody::new(content.clone().into_bytes(), executable);
                tree::place(&room.workspace, &test.path, &body)?;
            }
        }
        let mut results = Vec::new();
        for test in &self.task.tests {
            let result = self.run_script(test, room, &log)?;
            if let Some(broken) = self.broken(test, &result) {
                return Ok((results, ScriptReport::default(), Some(broken)));
            }
            let ended = result.ended;
            results.push(TestResult {
                path: test.path.clone(),
                rubric_id: test.rubric_id.clone(),
                success: ended.code == 0 && !ended.timed_out,
                output: ended.tail,
                timed_out: ended.timed_out,
                out_of_memory: result.out_of_memory,
                exit_code: ended.code,
                seconds: ended.seconds,
            });
        }
        let mut broken_by = None;
        if let Some(script) = &self.task.evaluation_script {
            let result = self.run_script(script, room, &log)?;
            if result.ended.timed_out {
                // What it would have said is not known, so there is no score; a test's hanging is an answer.
                broken_by = Some(format!(
                    "the evaluation script passed its time limit of {:.0} s (`verify_timeout`)",
                    self.options.verify_timeout_s
                ));
            } else if result.out_of_memory {
                broken_by = Some(
                    "the evaluation script was ended at the memory limit (`sandbox.memory`)"
                        .to_owned(),
                );
            } else if result.ended.code != 0 {
                broken_by = self.broken(script, &result).or_else(|| {
                    Some(format!(
                        "the evaluation script ended with exit code {}",
                        result.ended.code
                    ))
                });
            }
        }
        match ScriptReport::read(&room.out.join(REPORT_FILE)) {
            Ok(report) => Ok((results, report, broken_by)),
            Err(wrong) => Ok((results, ScriptReport::default(), broken_by.or(Some(wrong)))),
        }
    }

    fn run_script(&self, test: &TestScript, room: &Room, log: &Path) -> Result<Ran, AgentError> {
        let inside = self.sandbox.inside(room);
        let mut env = self.env.clone();
        let out = inside.out.display().to_string();
        env.insert("FAIRTRIAL_OUT".to_owned(), out.clone());
        env.insert(
            "FAIRTRIAL_EVALUATION".to_owned(),
            format!("{out}/{REPORT_FILE}"),
        );
        let argv = command(test);
        let heading = format!("$ {}\n", argv.join(" "));
        append(log, &heading)?;
        let confined = self.sandbox.confine(room, &argv, &env);
        let env: Vec<(String, String)> = confined.env.into_iter().collect();
        let program = LoggedProgram {
            argv: &confined.argv,
            env: &env,
            workdir: &confined.workdir,
            stdin: None,
            log,
            log_limit: self.log_limit,
            timeout: Some(Duration::from_secs_f64(self.options.verify_timeout_s)),
        };
        let ended = process::run(&program, self.redactor, None)?;
        let short = !ended.timed_out && self.sandbox.memory_was_short(room, &ended);
        let out_of_memory = short && ended.code != 0;
        let told = if ended.timed_out {
            self.sandbox.end(room);
            let most = self.options.verify_timeout_s;
            format!("[ended after its time limit of {most:.0} s (`verify_timeout`): not passed]\n")
        } else if out_of_memory {
            "[ended at the memory limit (`sandbox.memory`): not passed]\n".to_owned()
        } else if short {
            "[exit code 0, after one of its processes was ended at the memory limit]\n".to_owned()
        } else {
            format!("[exit code {}]\n", ended.code)
        };
        append(log, &told)?;
        Ok(Ran {
            ended,
            out_of_memory,
        })
    }

    /// Why a script says nothing about the agent, where it could not do its work.
    fn broken(&self, test: &TestScript, ran: &Ran) -> Option<String> {
        let (path, ended) = (&test.path, &ran.ended);
        if ended.timed_out || ran.out_of_memory {
            return None;
        }
        if let Some(trouble) = self.sandbox.trouble(ended) {
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
