//! Runs a task's tests on what the agent left: in a fresh copy of the baseline with the agent's diff on it, so that
//! nothing but the diff counts, without what decides how tests run, and with the tests put in only now.

use super::control::Control;
use super::files;
use super::proof::Expected;
use super::scored::TestResult;
use super::script::{REPORT_FILE, ScriptReport};
use crate::error::{AgentError, At};
use crate::paths::is_python;
use crate::process::{ProgramEnd, Watcher};
use crate::sandbox::contract::Room;
use crate::sandbox::run::{PhaseEnd, PhaseJob};
use crate::score::scorer::Scorer;
use crate::task::TestScript;
use crate::task_file::FileBody;
use crate::{git, tree};
use fairtrial_episode::{append_own, open_regular};
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_spec::Phase;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Bytes of a test's output that are read for results.
const HEARD: usize = 4 << 20;

/// What the tests of a rollout said.
#[derive(Default)]
pub(super) struct Verified {
    pub(super) tests: Vec<TestResult>,
    pub(super) script: ScriptReport,
    /// Why there is no score, where the machine or the task is to blame.
    pub(super) broken: Option<String>,
    /// What a reader of the record should know.
    pub(super) notes: Vec<String>,
    /// What the agent did to files that decide how tests run.
    pub(super) control: Vec<String>,
}

/// How a script ended.
struct Ran {
    ended: ProgramEnd,
    out_of_memory: bool,
    /// Why it did not run at all.
    trouble: Option<String>,
    /// What a reader of the record should know.
    notes: Vec<String>,
    /// What it printed, as far as results are looked for in it.
    output: String,
}

impl Scorer<'_> {
    /// The folders of the scoring phase, in an empty one.
    fn room(&self, scratch: &Path, name: &str) -> Result<Room, AgentError> {
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

    /// Runs the tests and the script, where there are some.
    pub(super) fn verify(
        &self,
        dir: &Path,
        scratch: &Path,
        name: &str,
    ) -> Result<Verified, AgentError> {
        let log = dir.join("logs/eval.log");
        write_atomic_bytes(&log, Durability::Process, b"")?;
        let mut verified = Verified::default();
        if self.task.tests.is_empty() && self.task.evaluation_script.is_none() {
            return Ok(verified);
        }
        let room = &self.room(scratch, name)?;
        if self.fresh.is_none() {
            verified.control = self.prepare(&dir.join(files::DIFF_FILE), room)?;
        }
        for test in &self.task.tests {
            self.place(test, room)?;
        }
        self.sandbox.hand_over(&[&room.workspace])?;
        for test in &self.task.tests {
            // What ran before may have changed it.
            self.place(test, room)?;
            let own = self.with_own_out(room)?;
            let expected = Expected::of(test, &own)?;
            self.sandbox.hand_over(&[&own.out])?;
            let mut ran = self.run_script(test, &expected, &own, &log)?;
            verified.notes.append(&mut ran.notes);
            let verdict = match broken(test, &ran) {
                Some(broken) => Err(broken),
                None => expected.judge(&ran.ended, &ran.output),
            };
            let (success, cases_passed) = match verdict {
                Ok(verdict) => verdict,
                Err(broken) => {
                    verified.broken = Some(broken);
                    return Ok(verified);
                }
            };
            let ended = ran.ended;
            verified.tests.push(TestResult {
                path: test.path.clone(),
                rubric_id: test.rubric_id.clone(),
                success,
                output: ended.tail,
                proof: expected.word(),
                cases_passed,
                timed_out: ended.timed_out,
                out_of_memory: ran.out_of_memory,
                exit_code: ended.code,
                seconds: ended.seconds,
            });
        }
        if let Some(script) = &self.task.evaluation_script {
            self.place(script, room)?;
            let own = self.with_own_out(room)?;
            let mut ran = self.run_script(script, &Expected::nothing(), &own, &log)?;
            verified.notes.append(&mut ran.notes);
            verified.broken = self.broken_script(script, &ran);
            match ScriptReport::read(&own.out.join(REPORT_FILE)) {
                Ok(report) => verified.script = report,
                Err(wrong) => verified.broken = verified.broken.or(Some(wrong)),
            }
        }
        verified.notes.dedup();
        Ok(verified)
    }

    /// Makes the workspace in which tests run; says what the agent did to files that decide how they run, which is not in it.
    fn prepare(&self, diff: &Path, room: &Room) -> Result<Vec<String>, AgentError> {
        let control = Control::of(self.task);
        tree::copy(&self.baseline.tree(), &room.workspace, None)?;
        // Git would wait at a pipe.
        let file = open_regular(diff).at("open", diff)?;
        if file.metadata().at("look at", diff)?.len() == 0 {
            return Ok(Vec::new());
        }
        git::apply(diff, &room.workspace, &control.words())?;
        let restored = control.restore_sections(&self.baseline.tree(), &room.workspace)?;
        let text = fs::read(diff).at("read", diff)?;
        let mut changed = control.changed(&String::from_utf8_lossy(&text));
        changed.extend(restored);
        Ok(changed)
    }

    /// Puts a script into the workspace, whatever stands in its place.
    fn place(&self, test: &TestScript, room: &Room) -> Result<(), AgentError> {
        if let Some(content) = &test.content {
            let executable = content.starts_with("#!");
            let body = FileBody::new(content.clone().into_bytes(), executable);
            let path = tree::place(&room.workspace, &test.path, &body)?;
            self.sandbox.hand_over(&[&path])?;
        }
        Ok(())
    }

    /// The scripts in the workspace, as far as they are files there by their own names.
    fn fixed(&self, room: &Room) -> Vec<String> {
        let scripts = self.task.tests.iter().chain(&self.task.evaluation_script);
        let place = fs::canonicalize(&room.workspace);
        let is_there = |name: &String| {
            let file = place.as_ref().map(|place| place.join(name));
            file.is_ok_and(|file| {
                file.is_file() && fs::canonicalize(&file).is_ok_and(|own| own == file)
            })
        };
        let mut names: Vec<String> = scripts.map(|script| script.path.clone()).collect();
        names.sort();
        names.dedup();
        names.retain(is_there);
        names
    }

    /// The room with an out folder that nobody has written to: what one script leaves is not taken for another's.
    fn with_own_out(&self, room: &Room) -> Result<Room, AgentError> {
        let mut own = room.clone();
        let mut number = 0;
        while own.out.exists() {
            number += 1;
            own.out = room.out.with_file_name(format!("out-{number}"));
            // The container of the script before may not be gone yet: a busy daemon removes it later.
            own.name = format!("{}{number}", room.name);
        }
        fs::create_dir(&own.out).at("create", &own.out)?;
        self.sandbox.hand_over(&[&own.out])?;
        Ok(own)
    }

    /// Why what the evaluation script says is not known, where it is not.
    fn broken_script(&self, script: &TestScript, ran: &Ran) -> Option<String> {
        if ran.ended.timed_out {
            // What it would have said is not known, so there is no score; a test's hanging is an answer.
            return Some(format!(
                "the evaluation script passed its time limit of {:.0} s (`verify_timeout`)",
                self.options.verify_timeout()
            ));
        }
        if let Some(limit) = &ran.ended.stopped {
            return Some(format!("the evaluation script was ended at {limit}"));
        }
        if ran.out_of_memory {
            let message = "the evaluation script was ended at the memory limit (`limits.memory`)";
            return Some(message.to_owned());
        }
        let code = ran.ended.code;
        (code != 0).then(|| {
            let own = || format!("the evaluation script ended with exit code {code}");
            broken(script, ran).unwrap_or_else(own)
        })
    }

    fn run_script(
        &self,
        test: &TestScript,
        expected: &Expected,
        room: &Room,
        log: &Path,
    ) -> Result<Ran, AgentError> {
        let inside = self.sandbox.inside(room);
        let mut env = (self.env)(&inside);
        let out = inside.out.display().to_string();
        env.insert("FAIRTRIAL_OUT".to_owned(), out.clone());
        env.insert(
            "FAIRTRIAL_EVALUATION".to_owned(),
            format!("{out}/{REPORT_FILE}"),
        );
        expected.tell(&inside, &mut env);
        let argv = Expected::command(test, &inside);
        append(log, &format!("$ {}\n", argv.join(" ")))?;
        let mut ear = Ear::default();
        let fixed = self.fixed(room);
        let end = self.sandbox.run(
            &PhaseJob {
                phase: Phase::Tests,
                room,
                argv: &argv,
                env: &env,
                stdin: None,
                fixed: &fixed,
                log,
                timeout: Duration::from_secs_f64(self.options.verify_timeout()),
                given: &self.baseline.tree(),
                redactor: self.redactor,
            },
            Some(&mut ear),
        )?;
        let PhaseEnd { ended, trouble, .. } = end;
        let short = !ended.timed_out && end.short_of_memory;
        let out_of_memory = short && ended.code != 0;
        let told = if ended.timed_out {
            let most = self.options.verify_timeout();
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
            output: ear.0,
        })
    }
}

/// Hears what a test prints.
#[derive(Default)]
struct Ear(String);

impl Watcher for Ear {
    fn hear(&mut self, text: &str) {
        if self.0.len() < HEARD {
            self.0.push_str(text);
        }
    }

    fn look(&mut self) -> Option<String> {
        None
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
    let no_runner = ["No module named pytest", "No module named 'pytest'"];
    let no_runner = no_runner.iter().any(|said| ended.tail.contains(said));
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
