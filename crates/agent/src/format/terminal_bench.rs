//! Terminal-Bench 1: `task.yaml`, a `Dockerfile`, `run-tests.sh`, `tests/` and `solution.sh`. Its contract is Harbor's with
//! other names, and a reward that is 1 where the tests end with 0.

use super::folder::{image_files, read_config, read_folder, read_optional};
use super::harbor::without_canary;
use crate::contained::{Contained, Step};
use crate::error::AgentError;
use crate::findings::Findings;
use crate::format::contract::TaskFormat;
use crate::task::AgentTask;
use crate::task_file::{FileBody, FileSet};
use fairtrial_spec::{Format, read_table};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const CONFIG: &str = "task.yaml";
const TESTS: &str = "run-tests.sh";
const COMPOSE: &str = "docker-compose.yaml";
const SOLUTION: &str = "solution.sh";
/// What the agent must not see in its image.
const HIDDEN: [&str; 5] = [CONFIG, TESTS, COMPOSE, SOLUTION, "solution.yaml"];

pub(super) struct TerminalBench;

#[derive(Deserialize)]
struct Config {
    instruction: String,
    #[serde(default = "six_minutes")]
    max_agent_timeout_sec: f64,
    #[serde(default = "one_minute")]
    max_test_timeout_sec: f64,
}

const fn six_minutes() -> f64 {
    360.0
}

const fn one_minute() -> f64 {
    60.0
}

impl TaskFormat for TerminalBench {
    fn name(&self) -> &'static str {
        "a task of Terminal-Bench with task.yaml"
    }

    fn recognises(&self, dir: &Path) -> bool {
        dir.join(CONFIG).is_file()
    }

    fn read(&self, dir: &Path, findings: &mut Findings) -> Result<AgentTask, AgentError> {
        let config: Config = read_config(&dir.join(CONFIG), Format::Yaml)?;
        check_compose(dir, findings)?;
        let mut folders = BTreeMap::new();
        match read_optional(&dir.join(TESTS))? {
            Some(script) => drop(folders.insert("tests".to_owned(), tests(dir, &script)?)),
            None => findings.error(format!("`{TESTS}` is not there: nothing would score it")),
        }
        let solution = read_optional(&dir.join(SOLUTION))?;
        if let Some(script) = &solution {
            let body = FileBody::new(script.clone().into_bytes(), true);
            let files = [("solve.sh".to_owned(), body)];
            folders.insert("solution".to_owned(), FileSet::of(files.into()));
        } else if dir.join("solution.yaml").is_file() {
            findings.warn("its solution is a list of keys to press (`solution.yaml`), which the agent `oracle` cannot do");
        }
        let step = Step {
            instructions: without_canary(&config.instruction),
            agent_timeout_s: Some(config.max_agent_timeout_sec),
            tests_timeout_s: config.max_test_timeout_sec,
            tests_env: [("TEST_DIR".to_owned(), crate::contained::TESTS.to_owned())].into(),
            tests: folders
                .keys()
                .filter(|name| *name == "tests")
                .cloned()
                .collect(),
            solution: solution.map(|_| "solution".to_owned()),
            ..Step::default()
        };
        let id = dir.file_name().unwrap_or_default().to_string_lossy();
        if !dir.join("Dockerfile").is_file() {
            findings.error("it has no `Dockerfile`, so there is no container");
        }
        let mut image = image_files(dir, &HIDDEN, findings)?;
        image.retain(|name, _| !name.starts_with("tests/"));
        Ok(AgentTask {
            id: id.into_owned(),
            instructions: step.instructions.clone(),
            image: Some(FileSet::of(image)),
            contained: Some(Contained {
                format: "Terminal-Bench".to_owned(),
                steps: vec![step],
                build_timeout_s: 600.0,
                folders,
                ..Contained::default()
            }),
            ..AgentTask::default()
        })
    }
}

/// The tests with a script that makes a reward of how they end.
fn tests(dir: &Path, script: &str) -> Result<FileSet, AgentError> {
    let mut files = BTreeMap::new();
    read_folder(&dir.join("tests"), &mut files)?;
    files.insert(
        TESTS.to_owned(),
        FileBody::new(script.as_bytes().to_vec(), true),
    );
    let reward = format!(
        "#!/bin/sh\n{}/{TESTS}\ncode=$?\nif [ $code -eq 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\nexit $code\n",
        crate::contained::TESTS
    );
    files.insert(
        "test.sh".to_owned(),
        FileBody::new(reward.into_bytes(), true),
    );
    Ok(FileSet::of(files))
}

/// Refuses what needs more than one container, or more of it than its `Dockerfile` says.
fn check_compose(dir: &Path, findings: &mut Findings) -> Result<(), AgentError> {
    let Some(text) = read_optional(&dir.join(COMPOSE))? else {
        return Ok(());
    };
    let table = match read_table(COMPOSE, &text, Format::Yaml) {
        Ok(table) => table,
        Err(wrong) => {
            findings.error(format!("`{COMPOSE}`: {wrong}"));
            return Ok(());
        }
    };
    let services = table["services"].as_object();
    let services: Vec<&Value> = services.into_iter().flat_map(|all| all.values()).collect();
    let own = ["T_BENCH_", "TEST_DIR"];
    let is_own = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        own.iter().any(|own| text.contains(own))
    };
    let known = |key: &str, value: &Value| match key {
        "build" => value
            .as_str()
            .or(value["context"].as_str())
            .is_none_or(|at| at == "." || at == "./"),
        "image" | "container_name" | "command" => true,
        "environment" | "volumes" => value.as_array().is_some_and(|all| all.iter().all(is_own)),
        _ => false,
    };
    let plain = |service: &&Value| {
        let keys = service.as_object();
        keys.is_some_and(|keys| keys.iter().all(|(key, value)| known(key, value)))
    };
    if services.len() > 1 || !services.iter().all(plain) {
        findings.error(format!(
            "its `{COMPOSE}` asks for more than one plain container: Fairtrial does not do this"
        ));
    }
    Ok(())
}
