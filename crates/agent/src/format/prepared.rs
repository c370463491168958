//! Prepared directories: `tb_meta.json`, `overlay_files/`, `overlay_repo_files/`, and what we add to that form:
//! `repo/` (a workspace without git), `setup.sh` (run before the agent), `solution.patch` or `solution.sh` (for the
//! `oracle` agent), `evaluate.*`, `Dockerfile` (for the container sandboxes).

use crate::error::{AgentError, At};
use crate::findings::Findings;
use crate::format::contract::TaskFormat;
use crate::format::folder::{image_files, read_folder, read_optional};
use crate::paths::is_python;
use crate::task::{AgentTask, Repo, Rubric, Solution, TestScript};
use crate::task_file::FileSet;
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// The file that makes a folder a prepared task.
const META: &str = "tb_meta.json";
/// Names of evaluation scripts, the first that is there counts.
const EVALUATION: [&str; 2] = ["evaluate.py", "evaluate.sh"];
/// Files beside `tb_meta.json` that a prepared task may hold without being part of it.
const INSTRUCTIONS: &str = "LM_INSTRUCTIONS.md";
/// What is run before the agent.
const SETUP: &str = "setup.sh";
/// What an image is built from.
const DOCKERFILE: &str = "Dockerfile";
/// What never gets into an image, where the agent would find it: tests, solutions, keys.
const HIDDEN: [&str; 7] = [
    META,
    "overrides.json",
    "solution.patch",
    "solution.sh",
    EVALUATION[0],
    EVALUATION[1],
    ".env",
];

pub(super) struct PreparedDir;

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    task_id: String,
    #[serde(default)]
    metadata: MetaHead,
    repo: Option<MetaRepo>,
    #[serde(default)]
    lm: MetaLm,
    #[serde(default)]
    evaluation: Evaluation,
}

#[derive(Deserialize, Default)]
struct MetaHead {
    #[serde(default)]
    title: String,
}

#[derive(Deserialize, Default)]
struct MetaLm {
    #[serde(default)]
    instructions: String,
}

/// `repo` of a task, and of overrides, where absent keys keep what was.
#[derive(Deserialize, Default)]
pub(super) struct MetaRepo {
    git_url: Option<String>,
    branch: Option<String>,
    start_commit_sha: Option<String>,
    end_commit_sha: Option<String>,
    subdir: Option<String>,
    sparse_checkout: Option<Vec<String>>,
}

/// `evaluation` of a task and of overrides.
#[derive(Deserialize, Default)]
pub(super) struct Evaluation {
    pub(super) rubrics: Option<Vec<Rubric>>,
    pub(super) test_scripts: Option<Vec<TestScript>>,
    pub(super) script: Option<TestScript>,
    pub(super) agent_may_change: Option<Vec<String>>,
    pub(super) agent_may_not_change: Option<Vec<String>>,
}

impl MetaRepo {
    /// Puts what is given over what was.
    pub(super) fn over(self, repo: Option<Repo>) -> Option<Repo> {
        let mut repo = repo.unwrap_or_default();
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        if let Some(url) = filled(self.git_url) {
            repo.url = url;
        }
        if let Some(branch) = filled(self.branch) {
            repo.branch = branch;
        }
        repo.start = filled(self.start_commit_sha).or(repo.start);
        repo.end = filled(self.end_commit_sha).or(repo.end);
        repo.subdir = filled(self.subdir).or(repo.subdir);
        repo.sparse = self.sparse_checkout.unwrap_or(repo.sparse);
        (!repo.url.is_empty()).then_some(repo)
    }
}

impl TaskFormat for PreparedDir {
    fn name(&self) -> &'static str {
        "a prepared directory with tb_meta.json"
    }

    fn recognises(&self, dir: &Path) -> bool {
        dir.join(META).is_file()
    }

    fn read(&self, dir: &Path, findings: &mut Findings) -> Result<AgentTask, AgentError> {
        let path = dir.join(META);
        let meta: Meta = read_json(&path)?;
        let mut task = AgentTask {
            id: meta.task_id,
            title: meta.metadata.title,
            instructions: meta.lm.instructions,
            repo: meta.repo.and_then(|repo| repo.over(None)),
            rubrics: meta.evaluation.rubrics.unwrap_or_default(),
            tests: meta.evaluation.test_scripts.unwrap_or_default(),
            evaluation_script: meta.evaluation.script,
            agent_may_change: meta.evaluation.agent_may_change.unwrap_or_default(),
            agent_may_not_change: meta.evaluation.agent_may_not_change.unwrap_or_default(),
            ..AgentTask::default()
        };
        if task.id.is_empty() {
            task.id = dir
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
        }
        if let Some(repo) = &mut task.repo {
            make_absolute(repo, dir);
        }
        read_folder(&dir.join("repo"), &mut task.files)?;
        read_folder(&dir.join("overlay_repo_files"), &mut task.files)?;
        read_folder(&dir.join("overlay_files"), &mut task.inputs)?;
        if let Some(told) = task.inputs.remove(INSTRUCTIONS)
            && task.instructions.trim().is_empty()
        {
            task.instructions = String::from_utf8_lossy(told.bytes()).into_owned();
        }
        if task.repo.is_some() && dir.join("repo").is_dir() {
            findings.warn("`repo/` is laid over the repository that `repo.git_url` names");
        }
        task.image = image(dir, findings)?;
        if task.evaluation_script.is_none() {
            task.evaluation_script = evaluation_script(dir)?;
        }
        task.setup = read_optional(&dir.join(SETUP))?;
        task.solution = solution(dir, task.repo.as_ref())?;
        Ok(task)
    }
}

/// A local repository is relative to the task's folder.
fn make_absolute(repo: &mut Repo, dir: &Path) {
    let url = repo.url.strip_prefix("file://").unwrap_or(&repo.url);
    let local = !url.contains("://") && !url.contains('@');
    if local && let Ok(path) = std::path::absolute(dir.join(url)) {
        repo.url = path.display().to_string();
    }
}

fn evaluation_script(dir: &Path) -> Result<Option<TestScript>, AgentError> {
    for name in EVALUATION {
        if let Some(content) = read_optional(&dir.join(name))? {
            return Ok(Some(TestScript {
                path: format!(".fairtrial-{name}"),
                content: Some(content),
                command: is_python(name).then(|| "python3 {path}".to_owned()),
                ..TestScript::default()
            }));
        }
    }
    Ok(None)
}

fn solution(dir: &Path, repo: Option<&Repo>) -> Result<Option<Solution>, AgentError> {
    if let Some(text) = read_optional(&dir.join("solution.patch"))? {
        return Ok(Some(Solution::Patch { text }));
    }
    if let Some(text) = read_optional(&dir.join("solution.sh"))? {
        return Ok(Some(Solution::Script { text }));
    }
    let has_end = repo.is_some_and(|repo| repo.end.is_some() && repo.end != repo.start);
    Ok(has_end.then_some(Solution::EndCommit))
}

/// Reads a JSON file into its form.
pub(super) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, AgentError> {
    let text = fs::read(path).at("read", path)?;
    serde_json::from_slice(&text).map_err(|error| AgentError::Content {
        path: path.to_owned(),
        message: error.to_string(),
    })
}

/// The image that a `Dockerfile` describes: built from the folder, without what the agent must not see.
fn image(dir: &Path, findings: &mut Findings) -> Result<Option<FileSet>, AgentError> {
    if !dir.join(DOCKERFILE).is_file() {
        return Ok(None);
    }
    let files = image_files(dir, &HIDDEN, findings)?;
    Ok(Some(FileSet::of(files)))
}
