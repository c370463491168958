//! Makes a prepared agent task from a repository, a commit and an instruction.

use crate::data_root::absolute;
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_agent::baseline;
use fairtrial_agent::check::{check_task, check_unscored};
use fairtrial_agent::findings::Findings;
use fairtrial_agent::format::{Reading, read_task};
use fairtrial_engine::task_cache;
use serde_json::json;
use std::path::{Path, PathBuf};

/// What a new task is made from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTask {
    /// The folder to make; it must not be there.
    pub dir: PathBuf,
    /// The repository: a URL or a local path.
    pub repo: String,
    /// The commit the agent starts from; absent for where the branch is now.
    pub commit: Option<String>,
    /// The commit of the reference solution.
    pub solution: Option<String>,
    /// The branch; absent for the repository's own.
    pub branch: Option<String>,
    /// A file with what the agent is told.
    pub instruction: PathBuf,
    /// Test scripts, hidden until the agent has stopped.
    pub tests: Vec<PathBuf>,
}

impl Session {
    /// Makes a task; gives what a reader should know of it.
    pub fn make_task(&self, new: &NewTask) -> Result<Vec<String>, SessionError> {
        if new.dir.exists() {
            return Err(SessionError::ThereAlready(new.dir.clone()));
        }
        let id = new.dir.file_name().unwrap_or_default().to_string_lossy();
        let url = url(&new.repo)?;
        let mut tests = Vec::new();
        for test in &new.tests {
            tests.push(json!({
                "path": test, "rubric_id": "task_completion", "content": read(test)?,
            }));
        }
        let mut meta = json!({
            "task_id": id,
            "metadata": { "title": id, "tags": [] },
            "repo": {
                "git_url": url, "branch": new.branch,
                "start_commit_sha": new.commit, "end_commit_sha": new.solution,
            },
            "lm": { "instructions": read(&new.instruction)? },
            "evaluation": {
                "rubrics": [{ "id": "task_completion", "criterion": "The task is done", "weight": 1.0 }],
                "test_scripts": tests,
            },
        });
        write(&new.dir, &meta)?;
        let mut findings = Findings::default();
        let token = self.token();
        let reading = Reading {
            dir: &new.dir,
            overrides: None,
            apply_overrides: false,
            token: token.as_deref(),
        };
        match read_task(&reading, &mut findings) {
            Ok(read) => {
                check_task(&read.task, &mut findings);
                check_unscored(&read.task, &mut findings);
                let cache = task_cache(&self.data_root());
                if let Err(error) = baseline::fetch(&cache, &read.task, token.as_deref()) {
                    findings.error(error.to_string());
                }
                let pinned = read.task.repo.and_then(|repo| repo.start);
                if new.commit.is_none() {
                    meta["repo"]["start_commit_sha"] = pinned.into();
                    write(&new.dir, &meta)?;
                    findings
                        .warnings
                        .retain(|text| !text.contains("no start commit"));
                }
            }
            Err(error) => findings.error(error.to_string()),
        }
        if !findings.errors.is_empty() {
            let _ = std::fs::remove_dir_all(&new.dir);
            return Err(SessionError::NoTask(findings.errors.join("\n       ")));
        }
        Ok(findings.warnings)
    }
}

/// The repository as a task names it: a path is from the root, because the task lies elsewhere.
fn url(repo: &str) -> Result<String, SessionError> {
    let local = Path::new(repo);
    if local.is_dir() {
        return Ok(absolute(local).display().to_string());
    }
    if repo.contains(':') {
        return Ok(repo.to_owned());
    }
    let message = format!("there is no folder {repo} here, and it is no URL");
    Err(SessionError::NoTask(message))
}

fn read(path: &Path) -> Result<String, SessionError> {
    std::fs::read_to_string(path)
        .map_err(|error| SessionError::Input(format!("cannot read {}: {error}", path.display())))
}

fn write(dir: &Path, meta: &serde_json::Value) -> Result<(), SessionError> {
    let text = serde_json::to_string_pretty(meta).unwrap_or_default();
    std::fs::create_dir_all(dir)
        .and_then(|()| std::fs::write(dir.join("tb_meta.json"), text + "\n"))
        .map_err(|error| SessionError::Machine(format!("cannot write {}: {error}", dir.display())))
}
