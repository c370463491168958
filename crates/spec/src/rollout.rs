//! How the rollouts of an agent task are run and scored: agent, sandbox, judge, limits.

use serde::{Deserialize, Serialize};

/// Everything about a rollout that is not the task itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RolloutOptions {
    /// Who works on the task.
    pub agent: AgentChoice,
    /// Where it works.
    pub sandbox: SandboxChoice,
    /// How rubrics become a score.
    pub scoring: Scoring,
    /// The model that judges what no test can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeChoice>,
    /// Seconds that one test script may take.
    pub verify_timeout_s: f64,
    /// The score from which a rollout counts as solved.
    pub pass_score: f64,
}

/// An agent and its limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentChoice {
    /// `codex`, `claude`, `command`, `oracle` or `nop`.
    pub name: String,
    /// The command of a `command` agent, each word possibly with placeholders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Further arguments of a known agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Tokens after which the agent is ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Dollars after which the agent is ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
    /// What tokens cost, for agents that do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// The names of agents.
pub const AGENTS: [&str; 5] = ["codex", "claude", "command", "oracle", "nop"];

/// Dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Read by the model.
    pub input: f64,
    /// Written by it.
    pub output: f64,
    /// Read from its cache; absent means as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
}

/// A kind of confinement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxKind {
    /// None.
    Process,
    /// `bwrap`.
    Bubblewrap,
    /// `podman`.
    Podman,
    /// `docker`.
    Docker,
    /// A command template that runs a command elsewhere.
    Modal,
}

impl SandboxKind {
    /// The words of all kinds.
    pub const WORDS: [&'static str; 5] = ["process", "bubblewrap", "podman", "docker", "modal"];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Bubblewrap => "bubblewrap",
            Self::Podman => "podman",
            Self::Docker => "docker",
            Self::Modal => "modal",
        }
    }

    /// The kind that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [
            Self::Process,
            Self::Bubblewrap,
            Self::Podman,
            Self::Docker,
            Self::Modal,
        ];
        all.into_iter().find(|kind| kind.word() == word)
    }
}

/// Whether a sandbox has the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// As the machine has it.
    #[default]
    On,
    /// None.
    Off,
}

/// Which sandbox.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SandboxChoice {
    /// Its kind; absent means the best that the machine has.
    pub kind: Option<SandboxKind>,
    /// The network.
    pub network: Network,
    /// Further files and folders that are visible, read-only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// The image of a container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Memory of a container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Processors of a container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<f64>,
    /// Seconds for building a task's image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_timeout_s: Option<f64>,
    /// The command that runs a command elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// How rubrics become a score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scoring {
    /// The weighted mean over the rubrics that something scores.
    #[default]
    Weighted,
    /// The original's rule: a rubric that nothing scores counts as 0.
    Oneshot,
}

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeChoice {
    /// Where it is, up to `/chat/completions`.
    pub url: String,
    /// Which model.
    pub model: String,
    /// The environment variable with its key.
    pub key_env: String,
}
