//! A project in a temporary folder and the built binary in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with specs and data of its own.
pub struct Project {
    dir: tempfile::TempDir,
}

/// What a command left.
pub struct Ran {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Project {
    /// An empty project.
    pub fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// A project with one spec, `bench.toml`.
    pub fn with_spec(text: &str) -> Self {
        let project = Self::new();
        project.write("bench.toml", text);
        project
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The binary, not started yet, in this project.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairtrial"));
        command.args(args).current_dir(self.path());
        command
            .env_remove("FAIRTRIAL_DATA")
            .env("LC_ALL", "C.UTF-8")
            .env("COLUMNS", "100")
            .env("NO_COLOR", "1");
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    /// A shell command in this project, with the built binary on the path.
    pub fn shell(&self, text: &str) -> Ran {
        let binary = Path::new(env!("CARGO_BIN_EXE_fairtrial")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-c", text])
            .current_dir(self.path())
            .env("PATH", format!("{}:{path}", binary.display()))
            .env_remove("FAIRTRIAL_DATA")
            .output()
            .unwrap();
        Ran::from(output)
    }

    /// Runs a command that must end with this code.
    pub fn expect(&self, code: i32, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, code, "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    /// The newest run's directory.
    pub fn newest_run(&self, name: &str) -> PathBuf {
        let folder = self.path().join("data/rollouts").join(name);
        let mut runs: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            // One that was killed before it began has none.
            .filter(|run| run.join("journal.jsonl").exists())
            .collect();
        runs.sort();
        runs.pop().unwrap()
    }

    /// The newest run's journal, line by line.
    pub fn journal(&self, name: &str) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(self.newest_run(name).join("journal.jsonl")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}
