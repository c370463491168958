//! What a test must leave to be believed, and how it is run so that it does.

use super::evidence::{self, Found};
use crate::error::{AgentError, At};
use crate::paths::is_python;
use crate::process::ProgramEnd;
use crate::sandbox::contract::{Env, Room};
use crate::task::{Proof, TestScript};
use crate::task_file::FileBody;
use crate::tree;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The file with the result, in the test's out folder.
const RESULT_FILE: &str = "result.xml";
/// The variable with its place.
const RESULT_VARIABLE: &str = "FAIRTRIAL_RESULT";
/// The runner of tests that are files of pytest's, among the files that nobody inside may write to.
const RUNNER_FILE: &str = "run_pytest.py";
/// It takes pytest from where it is installed: what an agent left in the workspace may bear the same name.
const RUNNER: &str = "import os, sys\n\
own = (\"\", os.getcwd(), os.path.dirname(os.path.abspath(__file__)))\n\
sys.path[:] = [path for path in sys.path if path not in own]\n\
import pytest\n\
sys.path.insert(0, os.getcwd())\n\
sys.exit(pytest.main(sys.argv[1:]))\n";

/// What is expected of one run of a test.
pub(super) struct Expected {
    proof: Proof,
    /// Whether we run pytest ourselves.
    is_pytest: bool,
    /// The mark that the result must bear, where we say so to the runner.
    mark: Option<String>,
    /// Tests that the result must name.
    names: Vec<String>,
    result: PathBuf,
    path: String,
}

impl Expected {
    /// What a test must leave in the out folder of a room.
    pub(super) fn of(test: &TestScript, room: &Room) -> Result<Self, AgentError> {
        let content = test.content.as_deref().unwrap_or_default();
        let is_script = content.starts_with("#!");
        let is_pytest = is_python(&test.path) && test.command.is_none() && !is_script;
        let hands_on = calls_pytest(test);
        let proof = test.result.unwrap_or(if is_pytest || hands_on {
            Proof::Junit
        } else {
            Proof::Exit
        });
        let marked = proof == Proof::Junit && (is_pytest || hands_on);
        if is_pytest {
            tree::place(&room.inputs, RUNNER_FILE, &FileBody::text(RUNNER))?;
        }
        Ok(Self {
            proof,
            is_pytest,
            mark: marked.then(mark).transpose()?,
            names: if is_pytest && proof == Proof::Junit {
                evidence::pytest_names(content)
            } else {
                Vec::new()
            },
            result: room.out.join(RESULT_FILE),
            path: test.path.clone(),
        })
    }

    /// Nothing but an exit code: for what says more by itself.
    pub(super) fn nothing() -> Self {
        Self {
            proof: Proof::Exit,
            is_pytest: false,
            mark: None,
            names: Vec::new(),
            result: PathBuf::new(),
            path: String::new(),
        }
    }

    /// By what it is known whether the test passed.
    pub(super) fn word(&self) -> &'static str {
        match self.proof {
            Proof::Exit => "exit code",
            Proof::Junit => "junit",
            Proof::Tap => "tap",
        }
    }

    /// Tells a test where its result belongs.
    pub(super) fn tell(&self, inside: &Room, env: &mut Env) {
        if self.proof != Proof::Junit {
            return;
        }
        let place = inside.out.join(RESULT_FILE).display().to_string();
        if let (Some(mark), false) = (&self.mark, self.is_pytest) {
            let own = env.get("PYTEST_ADDOPTS").map(|own| format!("{own} "));
            let all = format!(
                "{}--junitxml={place} -o junit_suite_name={mark}",
                own.unwrap_or_default()
            );
            env.insert("PYTEST_ADDOPTS".to_owned(), all);
        }
        env.insert(RESULT_VARIABLE.to_owned(), place);
    }

    /// How the test is run: as it says, else by its kind.
    pub(super) fn command(&self, test: &TestScript, inside: &Room) -> Vec<String> {
        let path = &test.path;
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        if let Some(command) = &test.command {
            let filled = command.replace("{path}", &shell_words::quote(path));
            if let Ok(words) = shell_words::split(&filled)
                && !words.is_empty()
            {
                return words;
            }
        }
        let content = test.content.as_deref().unwrap_or_default();
        if content.starts_with("#!") {
            return vec![format!("./{path}")];
        }
        if !is_python(path) {
            return owned(&["sh", path]);
        }
        let runner = inside.inputs.join(RUNNER_FILE).display().to_string();
        let mut words: Vec<String> = owned(&["python3", &runner, "-q", "-p", "no:cacheprovider"]);
        if let Some(mark) = &self.mark {
            let place = inside.out.join(RESULT_FILE).display().to_string();
            words.push(format!("--junitxml={place}"));
            words.extend(["-o".to_owned(), format!("junit_suite_name={mark}")]);
        }
        words.push(path.clone());
        words
    }

    /// Whether the test passed, and how many tests its result names; else why that is not known.
    pub(super) fn judge(
        &self,
        ended: &ProgramEnd,
        output: &str,
    ) -> Result<(bool, Option<usize>), String> {
        let well = ended.code == 0 && ended.stopped.is_none();
        let found = match self.proof {
            Proof::Exit => return Ok((well, None)),
            Proof::Junit => evidence::junit(&self.result),
            Proof::Tap => evidence::tap(output),
        };
        let found = found.and_then(|found| self.believe(found));
        match found {
            Ok(found) => Ok((well && found.failed == 0, Some(found.passed.len()))),
            // A runner that failed need not prove it.
            Err(_) if !well => Ok((false, None)),
            Err(why) => Err(format!(
                "not scored: no evidence that tests ran (test `{}` ended with exit code 0, and {why})",
                self.path
            )),
        }
    }

    fn believe(&self, found: Found) -> Result<Found, String> {
        if self.mark.is_some() && found.mark != self.mark {
            return Err("its result is not of this run".to_owned());
        }
        // One that failed is no proof of success, and needs none of failure.
        let lacks = (found.failed == 0).then(|| found.lacks(&self.names));
        lacks.flatten().map_or(Ok(found), Err)
    }
}

/// Whether a test hands on to pytest by itself.
fn calls_pytest(test: &TestScript) -> bool {
    let content = test.content.as_deref().unwrap_or_default();
    let in_command = test.command.as_deref().is_some_and(evidence::calls_pytest);
    let first = content.lines().next().unwrap_or_default();
    let is_shell = Path::new(&test.path)
        .extension()
        .is_some_and(|kind| kind == "sh" || kind == "bash")
        || (first.starts_with("#!") && first.ends_with("sh"));
    let in_content = if is_shell {
        evidence::calls_pytest(content)
    } else {
        content.contains("pytest.main(")
    };
    in_command || in_content
}

/// A word that no agent can know before.
fn mark() -> Result<String, AgentError> {
    let place = Path::new("/dev/urandom");
    let mut bytes = [0; 12];
    let read = File::open(place).and_then(|mut file| file.read_exact(&mut bytes));
    read.at("read", place)?;
    Ok(format!("run-{}", fairtrial_model::hex(&bytes)))
}
