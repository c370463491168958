//! An agent task, whatever format it came in: what the agent is told, what it works on, and how that is scored.

use crate::contained::Contained;
use crate::task_file::{FileBody, FileSet};
use fairtrial_spec::{JudgeRule, RolloutOptions};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One task, its overrides applied.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentTask {
    /// Its own id.
    pub id: String,
    /// Its title, where it has one.
    #[serde(default)]
    pub title: String,
    /// What the agent is told.
    pub instructions: String,
    /// The repository it works on; absent for a task that is only its files.
    #[serde(default)]
    pub repo: Option<Repo>,
    /// Files that are laid over the repository, by path in the workspace.
    #[serde(default)]
    pub files: BTreeMap<String, FileBody>,
    /// Files that the agent is given beside the workspace, by path in the task's folder.
    #[serde(default)]
    pub inputs: BTreeMap<String, FileBody>,
    /// Patterns of what is taken out of the repository.
    #[serde(default)]
    pub removed: Vec<String>,
    /// Variables for the agent and the tests.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// A shell script that is run in the workspace before the agent, where the task brings one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// What counts, and how much.
    #[serde(default)]
    pub rubrics: Vec<Rubric>,
    /// What is run to find out.
    #[serde(default)]
    pub tests: Vec<TestScript>,
    /// A script that gives metrics of its own and may score rubrics.
    #[serde(default)]
    pub evaluation_script: Option<TestScript>,
    /// Patterns of files that decide how tests run and that the agent may change all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agent_may_change: Vec<String>,
    /// Patterns of further files that decide how tests run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agent_may_not_change: Vec<String>,
    /// The reference solution, for the `oracle` agent.
    #[serde(default)]
    pub solution: Option<Solution>,
    /// The image that container sandboxes use, where the task brings one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<FileSet>,
    /// How it is worked on and tested, where all of that is done in one container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contained: Option<Contained>,
}

impl AgentTask {
    /// Hash of all that an agent meets.
    pub(crate) fn given_digest(&self) -> String {
        let given = (
            (&self.instructions, &self.repo, &self.files, &self.inputs),
            (&self.removed, &self.env, &self.setup, &self.image),
        );
        let mut text = serde_json::to_vec(&given).unwrap_or_default();
        text.extend(
            self.contained
                .as_ref()
                .map(Contained::given)
                .unwrap_or_default(),
        );
        crate::short_hash(text)
    }

    /// Hash of all that the task says about its scoring, with what a spec adds to that.
    pub(crate) fn scoring_digest(&self, options: &RolloutOptions) -> String {
        let scoring = (
            (&self.rubrics, &self.tests, &self.evaluation_script),
            (&self.agent_may_change, &options.scoring),
            (options.pass_score, &options.judge),
        );
        let mut text = serde_json::to_vec(&scoring).unwrap_or_default();
        if !options.more_judges.is_empty() || options.judge_rule != JudgeRule::Mean {
            let panel = (&options.more_judges, options.judge_rule);
            text.extend(serde_json::to_vec(&panel).unwrap_or_default());
        }
        let kept = self.agent_may_not_change.iter();
        text.extend(kept.flat_map(|pattern| ["\0", pattern].concat().into_bytes()));
        text.extend(
            self.contained
                .as_ref()
                .map(Contained::scoring)
                .unwrap_or_default(),
        );
        crate::short_hash(text)
    }

    /// What it says about its scoring alone.
    #[must_use]
    pub fn scoring_alone(&self) -> Self {
        Self {
            id: self.id.clone(),
            ..Self::default().scored_as(self.clone())
        }
    }

    /// The same task, scored as another one is.
    #[must_use]
    pub(crate) fn scored_as(self, other: Self) -> Self {
        Self {
            rubrics: other.rubrics,
            tests: other.tests,
            evaluation_script: other.evaluation_script,
            agent_may_change: other.agent_may_change,
            agent_may_not_change: other.agent_may_not_change,
            ..self
        }
    }

    /// What of its scoring is another in a later form of the task, in words.
    pub fn scoring_changes(&self, later: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        if self.rubrics != later.rubrics {
            changes.push("the rubrics".to_owned());
        }
        let paths = self.tests.iter().chain(&later.tests).map(|test| &test.path);
        let paths: BTreeSet<&String> = paths.collect();
        for path in paths {
            let of = |task: &Self| task.tests.iter().find(|test| test.path == *path).cloned();
            if of(self) != of(later) {
                changes.push(format!("test `{path}`"));
            }
        }
        if self.evaluation_script != later.evaluation_script {
            changes.push("the evaluation script".to_owned());
        }
        if self.agent_may_change != later.agent_may_change {
            changes.push("`agent_may_change`".to_owned());
        }
        if self.agent_may_not_change != later.agent_may_not_change {
            changes.push("`agent_may_not_change`".to_owned());
        }
        let contained = |task: &Self| task.contained.as_ref().map(Contained::scoring);
        if contained(self) != contained(later) {
            changes.push(
                "the tests, which ran in the agent's container and cannot be run again".to_owned(),
            );
        }
        changes
    }

    /// What an agent meets that is another in a later form of the task, in words.
    pub fn given_changes(&self, later: &Self) -> Vec<&'static str> {
        let contained = |task: &Self| task.contained.as_ref().map(Contained::given);
        let parts = [
            ("the container", contained(self) != contained(later)),
            ("the instructions", self.instructions != later.instructions),
            ("the repository", self.repo != later.repo),
            ("the files", self.files != later.files),
            (
                "the files beside the workspace",
                self.inputs != later.inputs,
            ),
            ("what is removed", self.removed != later.removed),
            ("the variables", self.env != later.env),
            ("the setup", self.setup != later.setup),
            ("the image", self.image != later.image),
        ];
        let changed = parts.into_iter().filter(|(_, is_changed)| *is_changed);
        changed.map(|(part, _)| part).collect()
    }
}

/// A task as it will be run, and the hash of all that it is made of.
#[derive(Debug, Clone)]
pub struct ReadTask {
    /// The task.
    pub task: AgentTask,
    /// Hash of the task with its overrides.
    pub digest: String,
}

/// Where a repository comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repo {
    /// A URL or a local path.
    pub url: String,
    /// The branch, where no commit is named.
    pub branch: String,
    /// The commit the agent starts from.
    pub start: Option<String>,
    /// The commit of the reference solution.
    pub end: Option<String>,
    /// The part of the repository that is the workspace.
    pub subdir: Option<String>,
    /// Paths to check out; empty means all.
    pub sparse: Vec<String>,
}

impl Repo {
    /// What a task sees of a commit, in git's words: all of it, or the folder that it is about.
    pub(crate) fn tree_at(&self, commit: &str) -> String {
        match self.subdir.as_deref() {
            Some(subdir) => format!("{commit}:{}", subdir.trim_matches('/')),
            None => commit.to_owned(),
        }
    }
}

/// A criterion with its weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rubric {
    /// Its id.
    pub id: String,
    /// What it asks.
    #[serde(default)]
    pub criterion: String,
    /// How much it counts.
    pub weight: f64,
}

/// A script that is put into the workspace after the agent has stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestScript {
    /// Where it goes, in the workspace.
    pub path: String,
    /// The rubric it tells about.
    #[serde(default)]
    pub rubric_id: String,
    /// Its text; absent where the workspace has the file already.
    #[serde(default)]
    pub content: Option<String>,
    /// How it is run; absent means by its kind (pytest, sh, its first line).
    #[serde(default)]
    pub command: Option<String>,
    /// By what it is known whether it passed; absent means by its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Proof>,
}

/// How a test says what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// By its exit code alone: for a script that is the test itself.
    Exit,
    /// By a file of `JUnit` results, which pytest and many others write.
    Junit,
    /// By lines of the Test Anything Protocol on its output.
    Tap,
}

/// The reference solution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Solution {
    /// A patch on the baseline.
    Patch {
        /// Its text.
        text: String,
    },
    /// A shell script that is run in the workspace.
    Script {
        /// Its text.
        text: String,
    },
    /// The repository at the end commit, taken from the repository when the baseline is made.
    EndCommit,
}
