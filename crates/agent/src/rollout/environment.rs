//! What the programs of a rollout see of the caller's variables: the few that every program needs, what the spec and the
//! task declare, and for the agent its provider's keys and what `pass_env` names. All else stays out, secrets above all.

use super::driven::Drive;
use crate::adapter;
use crate::sandbox::contract::{Env, Room};
use fairtrial_journal::redact::is_secret_name;
use fairtrial_spec::{Phase, SandboxKind};

/// What every program gets; `*` at the end of a name stands for anything.
const EVERYBODYS: [&str; 10] = [
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TERM",
    "TZ",
    "CUDA_VISIBLE_DEVICES",
    "FAIRTRIAL_SEED",
    "FAIRTRIAL_TRIAL",
];
/// What it gets besides where it is not confined.
const UNCONFINED: [&str; 3] = ["TMPDIR", "USER", "LOGNAME"];
/// Keys of providers that agents are often given by hand.
const KEYS: [&str; 6] = [
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
    "AZURE_OPENAI_API_KEY",
];

impl Drive<'_> {
    /// The variables of a program of a phase.
    pub(super) fn env_of(&self, phase: Phase, inside: &Room) -> Env {
        let mut env: Env = self
            .env
            .iter()
            .filter(|(name, _)| self.is_given(name, phase))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        for (name, value) in &self.task.env {
            if !self.shared.spec_env.contains(name) {
                env.insert(name.clone(), value.clone());
            }
        }
        env.insert("RUN_ID".to_owned(), self.trial.name.clone());
        let path = |path: &std::path::Path| path.display().to_string();
        env.insert("FAIRTRIAL_TASK_FILES".to_owned(), path(&inside.inputs));
        if phase != Phase::Agent {
            self.make_public(&mut env);
            return env;
        }
        env.insert("FAIRTRIAL_OUT".to_owned(), path(&inside.out));
        env.insert("FAIRTRIAL_MODEL".to_owned(), self.model.clone());
        env.insert("OPENAI_MODEL".to_owned(), self.model.clone());
        if self.sandbox.kind() != SandboxKind::Process {
            env.insert("IS_SANDBOX".to_owned(), "1".to_owned());
        }
        env
    }

    fn is_given(&self, name: &str, phase: Phase) -> bool {
        let some = |patterns: &[&str]| patterns.iter().any(|pattern| covers(pattern, name));
        let passed = self.options.pass_env.iter();
        let own_keys = adapter::keys(&self.options.agent.name);
        some(&EVERYBODYS)
            || (self.sandbox.kind() == SandboxKind::Process && some(&UNCONFINED))
            || self.shared.spec_env.iter().any(|own| own == name)
            || passed.into_iter().any(|pattern| covers(pattern, name))
            || (phase == Phase::Agent && some(own_keys))
    }

    /// Keys that are there and that the agent was not given, for a reader who wonders why it failed.
    pub(super) fn withheld_keys(&self) -> Option<String> {
        let withheld: Vec<&str> = KEYS
            .into_iter()
            .filter(|name| self.env.contains_key(*name) && !self.is_given(name, Phase::Agent))
            .collect();
        (!withheld.is_empty()).then(|| {
            format!(
                "the agent was not given {}: name what it needs in `pass_env`",
                withheld.join(", ")
            )
        })
    }

    /// Takes out what is secret.
    pub(super) fn make_public(&self, env: &mut Env) {
        let is_key = |name: &str| self.options.judges().any(|judge| judge.key_env == name);
        env.retain(|name, _| !is_secret_name(name) && !is_key(name));
    }
}

fn covers(pattern: &str, name: &str) -> bool {
    pattern
        .strip_suffix('*')
        .map_or(pattern == name, |start| name.starts_with(start))
}
