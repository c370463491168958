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
/// It watches over pytest, and signs the result of a success.
const RUNNER: &str = include_str!("run_pytest.py");
/// The file with the mark, in the test's out folder, which the runner takes away before anything else runs.
const MARK_FILE: &str = "mark";
/// How a mark begins that says that the code under test changed its examination.
const CHANGED: &str = "changed: ";

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
        let marked = is_pytest || (proof == Proof::Junit && hands_on);
        let mark = marked.then(mark).transpose()?;
        if let (true, Some(mark)) = (is_pytest, &mark) {
            tree::place(&room.inputs, RUNNER_FILE, &FileBody::text(RUNNER))?;
            tree::place(&room.out, MARK_FILE, &FileBody::text(mark))?;
        }
        Ok(Self {
            proof,
            is_pytest,
            mark,
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
    pub(super) fn command(test: &TestScript, inside: &Room) -> Vec<String> {
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
        let mut words: Vec<String> = owned(&["python3"]);
        let places = [
            inside.inputs.join(RUNNER_FILE),
            inside.out.join(MARK_FILE),
            inside.out.join(RESULT_FILE),
        ];
        words.extend(places.iter().map(|place| place.display().to_string()));
        words.extend(owned(&["-q", "-p", "no:cacheprovider"]));
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
        let found = match found {
            Ok(found) if well => self.believe(found),
            other => other,
        };
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
            let told = found.mark.as_deref();
            if let Some(how) = told.and_then(|told| told.strip_prefix(CHANGED)) {
                return Err(format!(
                    "the tests were tampered with while they ran: {how}"
                ));
            }
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
pub(super) fn mark() -> Result<String, AgentError> {
    let place = Path::new("/dev/urandom");
    let mut bytes = [0; 12];
    let read = File::open(place).and_then(|mut file| file.read_exact(&mut bytes));
    read.at("read", place)?;
    Ok(format!("run-{}", fairtrial_model::hex(&bytes)))
}
