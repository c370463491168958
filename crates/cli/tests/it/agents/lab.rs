//! Prepared tasks and what their rollouts leave.

use crate::common::{Project, Ran};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// A project with agent tasks.
pub struct Lab {
    pub project: Project,
}

/// The task of most tests: `answer.txt` must hold `42`.
pub fn meta(id: &str) -> Value {
    json!({
        "task_id": id,
        "metadata": { "title": "Find the answer", "tags": [] },
        "lm": { "instructions": "Write 42 into answer.txt" },
        "evaluation": {
            "rubrics": [
                { "id": "right", "criterion": "the answer is right", "weight": 0.75 },
                { "id": "there", "criterion": "there is an answer", "weight": 0.25 }
            ],
            "test_scripts": [
                { "path": "tests/right.sh", "rubric_id": "right", "content": "grep -qx 42 answer.txt" },
                { "path": "tests/there.sh", "rubric_id": "there", "content": "test -s answer.txt" }
            ]
        }
    })
}

impl Lab {
    pub fn new() -> Self {
        Self {
            project: Project::new(),
        }
    }

    /// Writes a prepared task.
    pub fn task(&self, name: &str, meta: &Value) {
        let dir = format!("data/tasks/prepared/{name}");
        let text = serde_json::to_string_pretty(meta).unwrap();
        self.project.write(&format!("{dir}/tb_meta.json"), &text);
        self.project
            .write(&format!("{dir}/overlay_repo_files/README.md"), "hello\n");
    }

    pub fn spec(&self, text: &str) {
        self.project.write("configs/bench.toml", text);
    }

    /// Adds a line to the last task of the spec.
    pub fn adds(&self, line: &str) {
        let text = self.project.read("configs/bench.toml");
        self.spec(&format!("{text}{line}\n"));
    }

    /// Runs the spec; sandboxes other than the plain one are for the tests that are about them.
    pub fn run(&self, code: i32) -> Ran {
        self.run_with(code, &[])
    }

    pub fn run_with(&self, code: i32, env: &[(&str, &str)]) -> Ran {
        let mut command = self.project.command(&["run", "configs/bench.toml"]);
        command.env("SANDBOX_BACKEND", "process");
        command.envs(env.iter().copied());
        let ran = Ran::from(command.output().unwrap());
        assert_eq!(ran.code, code, "{}\n{}", ran.out, ran.err);
        ran
    }

    pub fn manifest(&self, name: &str) -> Value {
        let path = self.project.newest_run(name).join("manifest.json");
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    /// The rollouts of the newest run: their rows and their directories.
    pub fn rollouts(&self, name: &str) -> Vec<(Value, PathBuf)> {
        let manifest = self.manifest(name);
        let rows = manifest["results"].as_array().unwrap().clone();
        let dir = |row: &Value| self.project.path().join(row["run_dir"].as_str().unwrap());
        rows.into_iter()
            .map(|row| (row.clone(), dir(&row)))
            .collect()
    }
}

/// Whether a tool works; says why not. In CI every tool must.
pub fn works(what: &str, tried: &mut Command) -> bool {
    let works = is_let(what, tried);
    assert!(
        works || std::env::var_os("CI").is_none(),
        "{what} must work in CI"
    );
    works
}

/// Whether a tool that is installed is let do its work by this machine; says why not. What a machine forbids, no
/// installation mends, in CI neither.
pub fn is_let(what: &str, tried: &mut Command) -> bool {
    let why = match tried.output() {
        Ok(out) if out.status.success() => return true,
        Ok(out) => String::from_utf8_lossy(&out.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    eprintln!("skipped: {what} does not work here: {why}");
    false
}

/// Whether bubblewrap works here.
pub fn has_bubblewrap() -> bool {
    let mut command = Command::new("bwrap");
    command.args(["--ro-bind", "/", "/", "--unshare-pid", "true"]);
    works("bwrap", &mut command)
}

/// A JSON file of a rollout.
pub fn json_of(dir: &std::path::Path, name: &str) -> Value {
    let text = std::fs::read_to_string(dir.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}
