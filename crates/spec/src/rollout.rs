//! How the rollouts of an agent task are run and scored: agent, sandbox, judge, limits.

use crate::sandbox::SandboxChoice;
use fairtrial_model::Params;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

/// Everything about a rollout that is not the task itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RolloutOptions {
    /// Who works on the task.
    pub agent: AgentChoice,
    /// Where it works.
    pub sandbox: SandboxChoice,
    /// Names of the caller's variables that the agent is given besides the few that every agent has; `*` at the end of a
    /// name stands for anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass_env: Vec<String>,
    /// Bytes that the agent may add to its workspace, its out folder and its home, where that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
    /// How rubrics become a score.
    pub scoring: Scoring,
    /// The model that judges what no test can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeChoice>,
    /// Those that judge besides it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_judges: Vec<JudgeChoice>,
    /// How the scores of several become one.
    #[serde(default, skip_serializing_if = "JudgeRule::is_mean")]
    pub judge_rule: JudgeRule,
    /// What is run in the workspace before the agent; empty means what the task brings, if anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Seconds that it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup_timeout_s: Option<f64>,
    /// Seconds that one test script may take, where that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_timeout_s: Option<f64>,
    /// The score from which a rollout counts as solved.
    pub pass_score: f64,
}

/// Seconds for one test script of which nobody says.
const VERIFY_TIMEOUT: f64 = 600.0;

impl RolloutOptions {
    /// Seconds that one test script may take.
    pub fn verify_timeout(&self) -> f64 {
        self.verify_timeout_s.unwrap_or(VERIFY_TIMEOUT)
    }

    /// Every judge, in the order of the spec.
    pub fn judges(&self) -> impl Iterator<Item = &JudgeChoice> {
        self.judge.iter().chain(&self.more_judges)
    }

    /// Every judge as often as it is asked, each time with a name of its own: the model, with a number where it is asked
    /// more than once.
    pub fn raters(&self) -> Vec<(String, &JudgeChoice)> {
        let asked = || {
            self.judges()
                .flat_map(|judge| (0..judge.repeats).map(move |_| judge))
        };
        let count = |model: &str| asked().filter(|judge| judge.model == model).count();
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        let named = asked().map(|judge| {
            let number = met.entry(&judge.model).or_default();
            *number += 1;
            match count(&judge.model) {
                1 => (judge.model.clone(), judge),
                _ => (format!("{}#{number}", judge.model), judge),
            }
        });
        named.collect()
    }
}

/// An agent and its limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentChoice {
    /// One of [`AGENTS`].
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
    /// The model's endpoint, for the agent that asks it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<EndpointChoice>,
    /// Answers of the model after which that agent is ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
}

/// Programs that run a file: what they run says who works.
const RUN_FILES: [&str; 7] = ["sh", "bash", "python", "python3", "node", "ruby", "perl"];

impl AgentChoice {
    /// What an agent is called that takes no model; absent where it takes one.
    pub fn without_model(&self) -> Option<String> {
        if ["oracle", "nop"].contains(&self.name.as_str()) {
            return Some(self.name.clone());
        }
        let takes_model = self.command.iter().any(|word| word.contains("{model}"));
        let name = |word: &String| {
            let name = Path::new(word).file_name()?.to_str()?;
            Some(name.to_owned())
        };
        let program = self.command.first().filter(|_| !takes_model);
        let program = program.and_then(name)?;
        let file = self.command.get(1).filter(|word| !word.starts_with('-'));
        let is_run = RUN_FILES.contains(&program.as_str());
        Some(file.filter(|_| is_run).and_then(name).unwrap_or(program))
    }
}

impl AgentChoice {
    /// The model's endpoint, `OpenAI`'s where none is named.
    pub fn endpoint(&self) -> EndpointChoice {
        self.endpoint
            .clone()
            .unwrap_or_else(|| EndpointChoice::of(JudgeApi::Chat))
    }
}

/// An endpoint that an agent of ours asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndpointChoice {
    /// What it speaks.
    pub api: JudgeApi,
    /// Where it is, up to the path of its kind.
    pub url: String,
    /// The environment variable with its key.
    pub key_env: String,
    /// Further parameters of each request.
    #[serde(default)]
    pub params: Params,
    /// Tokens of one answer.
    #[serde(default)]
    pub answer_tokens: Option<u64>,
    /// Seconds for one answer.
    pub timeout_s: f64,
    /// Seconds of waiting for an answer in all, where the endpoint asks for that.
    pub patience_s: f64,
}

impl EndpointChoice {
    /// The provider's own endpoint of a kind.
    pub fn of(api: JudgeApi) -> Self {
        let (url, key_env) = api.usual_place();
        Self {
            api,
            url: url.to_owned(),
            key_env: key_env.to_owned(),
            params: Params::default(),
            answer_tokens: None,
            timeout_s: 600.0,
            patience_s: patience(),
        }
    }
}

/// The names of agents.
pub const AGENTS: [&str; 10] = [
    "codex",
    "claude",
    "gemini",
    "opencode",
    "aider",
    "mini-swe-agent",
    "command",
    "minimal",
    "oracle",
    "nop",
];

/// The agents of the command line that we know how to start: those before the four that need no program of others.
pub const KNOWN_AGENTS: &[&str] = {
    const ALL: &[&str] = &AGENTS;
    ALL.split_at(AGENTS.len() - 4).0
};

/// What stands for something in an agent's command and in a `setup`, besides the parameters of the trial.
pub const AGENT_PLACEHOLDERS: [&str; 14] = [
    "model",
    "instruction_file",
    "workspace",
    "task_files",
    "out",
    "timeout",
    "max_tokens",
    "max_cost",
    "seed",
    "rollout",
    "task",
    "arm",
    "trial",
    "attempt",
];

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

/// Seconds for one answer of a judge.
pub(crate) const fn answer_time() -> f64 {
    180.0
}

/// Seconds for which a judge that asks for time is waited for.
pub(crate) const fn patience() -> f64 {
    1800.0
}

/// A kind of endpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeApi {
    /// `OpenAI`'s chat completions, which most servers speak.
    #[default]
    Chat,
    /// `OpenAI`'s responses.
    Responses,
    /// Anthropic's messages.
    Anthropic,
}

impl JudgeApi {
    /// Every kind, by its word.
    pub const ALL: [(&'static str, Self); 3] = [
        ("chat", Self::Chat),
        ("responses", Self::Responses),
        ("anthropic", Self::Anthropic),
    ];

    /// The kind that a word names.
    pub(crate) fn of_word(word: Option<&str>) -> Self {
        let named = Self::ALL
            .into_iter()
            .find(|(known, _)| word == Some(*known));
        named.map(|(_, api)| api).unwrap_or_default()
    }

    /// Where the provider of a kind is, and the variable with the key for it.
    pub(crate) const fn usual_place(self) -> (&'static str, &'static str) {
        match self {
            Self::Anthropic => ("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
            Self::Chat | Self::Responses => ("https://api.openai.com/v1", "OPENAI_API_KEY"),
        }
    }
}

/// How the scores that several judges give for a rubric become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeRule {
    /// Their mean.
    #[default]
    Mean,
    /// 1 where more than half of them give [`JUDGED_GOOD`] or more, 0 where fewer do, and 0.5 between.
    Majority,
}

/// The score from which a judge's word counts as a yes.
pub const JUDGED_GOOD: f64 = 0.5;

impl JudgeRule {
    /// Its words.
    pub(crate) const WORDS: [&str; 2] = ["mean", "majority"];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn is_mean(&self) -> bool {
        *self == Self::Mean
    }

    /// One score of many; absent where there is none.
    pub fn combine(self, scores: &[f64]) -> Option<f64> {
        let many = scores.len() as f64;
        match self {
            _ if scores.is_empty() => None,
            Self::Mean => Some(scores.iter().sum::<f64>() / many),
            Self::Majority => {
                let yes = scores.iter().filter(|score| **score >= JUDGED_GOOD).count() as f64;
                Some(match yes.total_cmp(&(many / 2.0)) {
                    Ordering::Less => 0.0,
                    Ordering::Equal => 0.5,
                    Ordering::Greater => 1.0,
                })
            }
        }
    }
}

/// How often a judge is asked of which nobody says.
const fn once() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_once(repeats: &u32) -> bool {
    *repeats == 1
}

/// A model behind an endpoint that scores rubrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeChoice {
    /// What it speaks.
    #[serde(default)]
    pub api: JudgeApi,
    /// Further parameters of each request.
    #[serde(default)]
    pub params: Params,
    /// Tokens of an answer.
    #[serde(default)]
    pub max_tokens: Option<u64>,
    /// Whether it is asked to keep to a form of answers.
    #[serde(default)]
    pub structured: bool,
    /// Seconds for one answer.
    #[serde(default = "answer_time")]
    pub timeout_s: f64,
    /// Seconds of waiting for an answer in all, where the endpoint asks for that.
    #[serde(default = "patience")]
    pub patience_s: f64,
    /// What its tokens cost.
    #[serde(default)]
    pub price: Option<Price>,
    /// How often it is asked about one rollout.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub repeats: u32,
    /// Where it is, up to the path of its kind.
    pub url: String,
    /// Which model.
    pub model: String,
    /// The environment variable with its key.
    pub key_env: String,
}

#[cfg(test)]
mod tests {
    use super::JudgeRule;

    #[test]
    fn judges_are_combined_by_mean_or_majority() {
        let each = |scores: &[f64]| {
            [JudgeRule::Mean, JudgeRule::Majority].map(|rule| rule.combine(scores))
        };
        assert_eq!(each(&[]), [None, None]);
        assert_eq!(each(&[0.5]), [Some(0.5), Some(1.0)]);
        assert_eq!(each(&[0.25, 0.75]), [Some(0.5), Some(0.5)]);
        assert_eq!(each(&[0.0, 0.25, 0.5]), [Some(0.25), Some(0.0)]);
        assert_eq!(each(&[0.5, 0.0, 1.0]), [Some(0.5), Some(1.0)]);
    }
}
