//! Where the rollouts of an agent task run: the kinds of confinement, and which keys of `sandbox` each of them uses.

use serde::{Deserialize, Serialize};

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

/// How many kinds there are.
const KINDS: usize = 5;

impl SandboxKind {
    /// All kinds.
    pub const ALL: [Self; KINDS] = [
        Self::Process,
        Self::Bubblewrap,
        Self::Podman,
        Self::Docker,
        Self::Modal,
    ];

    /// The words of all kinds.
    pub const WORDS: [&'static str; KINDS] = {
        let mut words = [""; KINDS];
        let mut place = 0;
        while place < KINDS {
            words[place] = Self::ALL[place].word();
            place += 1;
        }
        words
    };

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
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether it runs an image.
    pub const fn is_container(self) -> bool {
        matches!(self, Self::Podman | Self::Docker)
    }
}

/// What of the network a sandbox has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// As the machine has it.
    #[default]
    #[serde(alias = "on")]
    Full,
    /// None.
    #[serde(alias = "off")]
    None,
    /// These places and no others, through a proxy: `HOST:PORT`, or `HOST` for every port. `*.` before a host stands for
    /// all that ends so.
    Allow(Vec<String>),
}

/// A part of a rollout in which programs of others run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// What comes before the agent.
    Setup,
    /// The agent.
    Agent,
    /// The tests.
    Tests,
}

/// Which sandbox.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SandboxChoice {
    /// Its kind; absent means the best that the machine has.
    pub kind: Option<SandboxKind>,
    /// The network of the agent, and of what comes before it.
    pub network: Network,
    /// The network of what comes before the agent, where it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup_network: Option<Network>,
    /// The network of the tests; absent means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests_network: Option<Network>,
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

impl SandboxChoice {
    /// The network in a part of a rollout.
    pub fn network_in(&self, phase: Phase) -> &Network {
        match phase {
            Phase::Agent => &self.network,
            Phase::Setup => self.setup_network.as_ref().unwrap_or(&self.network),
            Phase::Tests => self.tests_network.as_ref().unwrap_or(&Network::None),
        }
    }

    /// Whether anything is said of the network.
    fn names_network(&self) -> bool {
        let parts = [&self.setup_network, &self.tests_network];
        self.network != Network::Full || parts.into_iter().any(Option::is_some)
    }
}

/// What stands for something in the command of a sandbox elsewhere.
pub const SANDBOX_PLACEHOLDERS: [&str; 5] = ["workspace", "inputs", "out", "home", "name"];

/// A key of `sandbox` that not every kind uses.
#[derive(Debug, Clone, Copy)]
pub struct SandboxKey {
    /// Its name.
    pub name: &'static str,
    /// The kinds that use it.
    kinds: &'static [SandboxKind],
    /// What does the same for a kind that runs plain processes of this machine, where something does.
    instead: Option<&'static str>,
    is_given: fn(&SandboxChoice) -> bool,
}

const CONFINED: &[SandboxKind] = &[
    SandboxKind::Bubblewrap,
    SandboxKind::Podman,
    SandboxKind::Docker,
];
const CONTAINERS: &[SandboxKind] = &[SandboxKind::Podman, SandboxKind::Docker];
const ELSEWHERE: &[SandboxKind] = &[SandboxKind::Modal];

/// Every key of `sandbox` besides `kind`, and who uses it: what is not in this table for a kind is refused.
const SANDBOX_KEYS: [SandboxKey; 7] = [
    SandboxKey {
        name: "network",
        kinds: CONFINED,
        instead: None,
        is_given: SandboxChoice::names_network,
    },
    SandboxKey {
        name: "read",
        kinds: CONFINED,
        instead: None,
        is_given: |choice| !choice.read.is_empty(),
    },
    SandboxKey {
        name: "image",
        kinds: CONTAINERS,
        instead: None,
        is_given: |choice| choice.image.is_some(),
    },
    SandboxKey {
        name: "memory",
        kinds: CONTAINERS,
        instead: Some("limits.memory"),
        is_given: |choice| choice.memory_bytes.is_some(),
    },
    SandboxKey {
        name: "cpus",
        kinds: CONTAINERS,
        instead: None,
        is_given: |choice| choice.cpus.is_some(),
    },
    SandboxKey {
        name: "build_timeout",
        kinds: CONTAINERS,
        instead: None,
        is_given: |choice| choice.build_timeout_s.is_some(),
    },
    SandboxKey {
        name: "command",
        kinds: ELSEWHERE,
        instead: None,
        is_given: |choice| !choice.command.is_empty(),
    },
];

impl SandboxKey {
    /// The keys that a kind does not use.
    pub fn unused_by(kind: SandboxKind) -> impl Iterator<Item = Self> {
        SANDBOX_KEYS
            .into_iter()
            .filter(move |key| !key.kinds.contains(&kind))
    }

    /// The keys that a choice gives and a kind does not use.
    pub fn unused(choice: &SandboxChoice, kind: SandboxKind) -> impl Iterator<Item = Self> {
        Self::unused_by(kind).filter(|key| (key.is_given)(choice))
    }

    /// What is wrong with it in a sandbox of a kind that does not use it.
    pub fn problem(self, kind: SandboxKind) -> String {
        format!(
            "the sandbox `{}` has no `{}`, which would be ignored",
            kind.word(),
            self.name
        )
    }

    /// What to do about that.
    pub fn advice(self, kind: SandboxKind) -> String {
        let words: Vec<&str> = self.kinds.iter().map(|kind| kind.word()).collect();
        let users = match words.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        };
        let here = matches!(kind, SandboxKind::Process | SandboxKind::Bubblewrap);
        match self.instead.filter(|_| here) {
            Some(instead) => format!(
                "`{}` needs {users}; for {} use `{instead}` of the task",
                self.name,
                kind.word()
            ),
            None => format!(
                "`{}` needs {users}: remove it, or choose such a `kind`",
                self.name
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SandboxChoice, SandboxKey, SandboxKind};

    #[test]
    fn every_key_of_a_choice_is_refused_by_some_kind_and_told_of() {
        let all = SandboxChoice {
            kind: None,
            network: super::Network::None,
            setup_network: None,
            tests_network: None,
            read: vec!["/opt".to_owned()],
            image: Some("x".to_owned()),
            memory_bytes: Some(1),
            cpus: Some(1.0),
            build_timeout_s: Some(1.0),
            command: vec!["x".to_owned()],
        };
        let names =
            |kind| -> Vec<&str> { SandboxKey::unused(&all, kind).map(|key| key.name).collect() };
        assert_eq!(names(SandboxKind::Process).len(), 7);
        assert_eq!(
            names(SandboxKind::Bubblewrap),
            ["image", "memory", "cpus", "build_timeout", "command"]
        );
        for container in [SandboxKind::Podman, SandboxKind::Docker] {
            assert_eq!(names(container), ["command"]);
        }
        assert_eq!(names(SandboxKind::Modal).len(), 6);
        let none = SandboxChoice::default();
        for kind in SandboxKind::ALL {
            assert_eq!(SandboxKey::unused(&none, kind).count(), 0);
            assert_eq!(SandboxKind::from_word(kind.word()), Some(kind));
        }
    }
}
