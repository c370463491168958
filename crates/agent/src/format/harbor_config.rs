//! `task.toml` as Harbor writes it, older forms included. Keys that say nothing about a run are passed over, as Harbor does.

use crate::contained::{Artifact, Collect, Health, Variables};
use crate::findings::Findings;
use fairtrial_spec::Network;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Seconds for tests of which nobody says.
pub(super) const TESTS_TIMEOUT: f64 = 600.0;
/// Seconds for a command that collects.
const COLLECT_TIMEOUT: f64 = 60.0;

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Config {
    pub(super) task: Package,
    pub(super) environment: Environment,
    pub(super) agent: Setup,
    pub(super) verifier: Tests,
    pub(super) solution: SolutionConfig,
    pub(super) artifacts: Vec<OneArtifact>,
    pub(super) steps: Vec<StepConfig>,
    pub(super) multi_step_reward_strategy: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) description: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct SolutionConfig {
    pub(super) env: Variables,
}

#[derive(Deserialize)]
#[serde(default)]
pub(super) struct Environment {
    pub(super) build_timeout_sec: f64,
    pub(super) docker_image: Option<String>,
    pub(super) os: Option<String>,
    pub(super) cpus: Option<f64>,
    memory_mb: Option<u64>,
    storage_mb: Option<u64>,
    memory: Option<Value>,
    storage: Option<Value>,
    pub(super) gpus: Option<u64>,
    pub(super) tpu: Option<Value>,
    pub(super) env: Variables,
    pub(super) workdir: Option<String>,
    pub(super) skills_dir: Option<String>,
    pub(super) mcp_servers: Vec<Value>,
    pub(super) healthcheck: Option<Health>,
    network_mode: Option<String>,
    allowed_hosts: Option<Vec<String>>,
    allow_internet: Option<bool>,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            build_timeout_sec: 600.0,
            docker_image: None,
            os: None,
            cpus: None,
            memory_mb: None,
            storage_mb: None,
            memory: None,
            storage: None,
            gpus: None,
            tpu: None,
            env: Variables::new(),
            workdir: None,
            skills_dir: None,
            mcp_servers: Vec::new(),
            healthcheck: None,
            network_mode: None,
            allowed_hosts: None,
            allow_internet: None,
        }
    }
}

/// What is said of the agent.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Setup {
    pub(super) timeout_sec: Option<f64>,
    user: Option<Value>,
    pub(super) network_mode: Option<String>,
    allowed_hosts: Option<Vec<String>>,
}

/// What is said of the tests.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Tests {
    pub(super) timeout_sec: Option<f64>,
    user: Option<Value>,
    pub(super) env: Variables,
    environment_mode: Option<String>,
    environment: Option<Value>,
    pub(super) collect: Vec<OneCollect>,
    pub(super) network_mode: Option<String>,
    allowed_hosts: Option<Vec<String>>,
}

#[derive(Deserialize)]
pub(super) struct StepConfig {
    pub(super) name: String,
    #[serde(default)]
    pub(super) agent: Setup,
    #[serde(default)]
    pub(super) verifier: Tests,
    #[serde(default)]
    min_reward: Value,
    #[serde(default)]
    pub(super) healthcheck: Option<Health>,
    #[serde(default)]
    pub(super) artifacts: Vec<OneArtifact>,
}

#[derive(Deserialize)]
pub(super) struct OneCollect {
    command: String,
    #[serde(default)]
    pub(super) service: Option<String>,
    #[serde(default)]
    timeout_sec: Option<f64>,
    #[serde(default)]
    user: Option<Value>,
}

/// A path, or a table with one.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum OneArtifact {
    Path(String),
    Table {
        source: String,
        #[serde(default)]
        destination: Option<String>,
    },
}

impl From<&OneArtifact> for Artifact {
    fn from(one: &OneArtifact) -> Self {
        match one {
            OneArtifact::Path(source) => Self {
                source: source.clone(),
                destination: None,
            },
            OneArtifact::Table {
                source,
                destination,
            } => Self {
                source: source.clone(),
                destination: destination.clone(),
            },
        }
    }
}

impl From<&OneCollect> for Collect {
    fn from(one: &OneCollect) -> Self {
        Self {
            command: one.command.clone(),
            timeout_s: one.timeout_sec.unwrap_or(COLLECT_TIMEOUT),
            user: user(one.user.as_ref()),
        }
    }
}

impl StepConfig {
    /// The rewards without which no further step is taken.
    pub(super) fn least(&self) -> BTreeMap<String, f64> {
        let named = |(name, value): (&String, &Value)| Some((name.clone(), value.as_f64()?));
        match &self.min_reward {
            Value::Object(table) => table.iter().filter_map(named).collect(),
            other => {
                let one = other
                    .as_f64()
                    .map(|least| (crate::contained::REWARD.to_owned(), least));
                one.into_iter().collect()
            }
        }
    }
}

impl Environment {
    pub(super) fn memory(&self, findings: &mut Findings) -> Option<u64> {
        size("memory", self.memory_mb, self.memory.as_ref(), findings)
    }

    pub(super) fn storage(&self, findings: &mut Findings) -> Option<u64> {
        size("storage", self.storage_mb, self.storage.as_ref(), findings)
    }

    /// The network of all that has none of its own.
    pub(super) fn baseline(&self, findings: &mut Findings) -> Network {
        let own = network(
            self.network_mode.as_deref(),
            self.allowed_hosts.as_ref(),
            findings,
        );
        own.unwrap_or(match self.allow_internet {
            Some(false) => Network::None,
            _ => Network::Full,
        })
    }
}

impl Setup {
    pub(super) fn user(&self) -> Option<String> {
        user(self.user.as_ref())
    }

    pub(super) fn network(&self, findings: &mut Findings) -> Option<Network> {
        network(
            self.network_mode.as_deref(),
            self.allowed_hosts.as_ref(),
            findings,
        )
    }
}

impl Tests {
    pub(super) fn user(&self) -> Option<String> {
        user(self.user.as_ref())
    }

    pub(super) fn network(&self, findings: &mut Findings) -> Option<Network> {
        network(
            self.network_mode.as_deref(),
            self.allowed_hosts.as_ref(),
            findings,
        )
    }

    /// Whether they run in a container of their own.
    pub(super) fn is_separate(&self) -> bool {
        self.environment_mode
            .as_deref()
            .map_or(self.environment.is_some(), |mode| mode == "separate")
    }
}

/// A user by name or number.
fn user(given: Option<&Value>) -> Option<String> {
    match given? {
        Value::String(name) => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Bytes, by a number of mebibytes or by a text such as `2G` of older tasks.
fn size(
    what: &str,
    mebibytes: Option<u64>,
    text: Option<&Value>,
    findings: &mut Findings,
) -> Option<u64> {
    if let Some(mebibytes) = mebibytes {
        return Some(mebibytes << 20);
    }
    let text = text?.as_str().unwrap_or_default().trim().to_uppercase();
    let units = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)];
    let read = units.iter().find_map(|(unit, bytes)| {
        let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
        Some((number * f64::from(*bytes)) as u64)
    });
    if read.is_none() {
        findings.error(format!(
            "`environment.{what}` is `{text}`, which is no size such as \"2G\""
        ));
    }
    read
}

fn network(
    mode: Option<&str>,
    hosts: Option<&Vec<String>>,
    findings: &mut Findings,
) -> Option<Network> {
    match mode? {
        "public" => Some(Network::Full),
        "no-network" => Some(Network::None),
        "allowlist" => {
            let hosts = hosts.cloned().unwrap_or_default();
            for range in hosts.iter().filter(|host| host.contains('/')) {
                findings.error(format!(
                    "`allowed_hosts` has the range {range}: Fairtrial allows names and single addresses only"
                ));
            }
            Some(Network::Allow(hosts))
        }
        other => {
            findings.error(format!(
                "`network_mode` is `{other}`; there are public, no-network and allowlist"
            ));
            None
        }
    }
}
