//! Where trials run: the `[engine]` table and what one trial asks of a machine. None of it changes what a trial is, so
//! none of it is part of a plan: the same spec runs here and on a cluster.

use crate::kubernetes::KubernetesOptions;
use crate::spec::task::Task;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What places trials.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// Processes on this machine.
    #[default]
    Local,
    /// A Slurm cluster.
    Slurm,
    /// Any scheduler, by commands that the user gives.
    Template,
    /// Clouds, through SkyPilot.
    Skypilot,
    /// A Kubernetes cluster.
    Kubernetes,
}

impl EngineKind {
    /// Every engine.
    pub const ALL: [Self; 5] = [
        Self::Local,
        Self::Slurm,
        Self::Template,
        Self::Skypilot,
        Self::Kubernetes,
    ];

    /// The word used in specs and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Slurm => "slurm",
            Self::Template => "template",
            Self::Skypilot => "skypilot",
            Self::Kubernetes => "kubernetes",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The schedulers that are described already, each of which is an engine by its name.
pub const PROFILES: [&str; 6] = ["sge", "ray", "htcondor", "pbs", "lsf", "modal"];

/// An engine as a spec or a command line names it: a kind, or a scheduler that is described already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineChoice {
    /// One of the kinds.
    Kind(EngineKind),
    /// A profile of [`EngineKind::Template`].
    Profile(&'static str),
}

impl EngineChoice {
    /// The engine that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        let kind = EngineKind::from_word(word).map(Self::Kind);
        kind.or_else(|| {
            let mut profiles = PROFILES.into_iter();
            profiles.find(|name| *name == word).map(Self::Profile)
        })
    }

    /// Every word that names one.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let kinds = EngineKind::ALL.into_iter().map(EngineKind::word);
        kinds.chain(PROFILES)
    }
}

/// The `[engine]` table with its defaults filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Which engine.
    pub kind: EngineKind,
    /// Trials in one job; absent means that it is worked out.
    pub pack: Option<u32>,
    /// Seconds between two questions to the scheduler.
    pub poll_s: f64,
    /// Seconds without a sign of life after which a job counts as lost.
    pub grace_s: f64,
    /// What both arms of a seed share.
    pub pair_on: Option<PairOn>,
    /// The Fairtrial binary on the nodes, where it is not this one.
    pub program: Option<String>,
    /// The object store through which jobs get their work and leave records, where nodes and this machine share no disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// What travels with it beside the files that git tracks, from the spec's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carry: Vec<String>,
    /// GPUs that this machine lends to local trials, as `CUDA_VISIBLE_DEVICES` names them.
    pub gpus: Vec<String>,
    /// CPUs that this machine lends to local trials which say how many they use.
    pub cpus: Option<u32>,
    /// Memory that this machine lends, likewise.
    pub memory_bytes: Option<u64>,
    /// For Slurm.
    pub slurm: SlurmOptions,
    /// For a scheduler by template.
    pub template: TemplateOptions,
    /// The scheduler that was chosen by the name of its profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduler: Option<String>,
    /// What wins over `template` where a scheduler is chosen by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub schedulers: BTreeMap<String, TemplateOptions>,
    /// For SkyPilot.
    pub skypilot: SkypilotOptions,
    /// For Kubernetes.
    #[serde(default, skip_serializing_if = "KubernetesOptions::is_default")]
    pub kubernetes: KubernetesOptions,
}

impl Default for EngineSpec {
    fn default() -> Self {
        Self {
            kind: EngineKind::Local,
            pack: None,
            poll_s: 30.0,
            grace_s: 300.0,
            pair_on: None,
            program: None,
            store: None,
            carry: Vec::new(),
            gpus: Vec::new(),
            cpus: None,
            memory_bytes: None,
            slurm: SlurmOptions::default(),
            template: TemplateOptions::default(),
            scheduler: None,
            schedulers: BTreeMap::new(),
            skypilot: SkypilotOptions::default(),
            kubernetes: KubernetesOptions::default(),
        }
    }
}

/// Something that an engine needs of a spec and does not get.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineLack {
    /// A command of a scheduler.
    #[error("engine `template` needs `engine.template.{0}`, or a `profile` that has it")]
    Command(&'static str),
    /// A key that the engine cannot do without.
    #[error("engine `{engine}` needs `engine.{engine}.{key}`: {what}")]
    Key {
        /// The engine.
        engine: &'static str,
        /// The key.
        key: &'static str,
        /// What it is.
        what: &'static str,
    },
    /// A machine for one trial alone.
    #[error(
        "task `{task}` has `resources.exclusive`, and engine `{engine}` cannot keep other work from a node: leave it out, and \
         give the trials nodes of their own in another way"
    )]
    Exclusive {
        /// The task.
        task: String,
        /// The engine.
        engine: &'static str,
    },
    /// The type of GPUs.
    #[error(
        "task `{task}` asks for {gpus} GPUs, and SkyPilot must be told of which type: \
         engine.skypilot.accelerators = \"H100:{gpus}\""
    )]
    GpuType {
        /// The task.
        task: String,
        /// How many it asks for.
        gpus: u32,
    },
    /// A folder that survives the machine.
    #[error(
        "task `{task}` has `checkpoint`, and its folder must be seen by every machine: engine `{engine}` gives each trial \
         one of its own. Run it on this machine or on a cluster with a shared filesystem, or write `checkpoint = false` \
         and let the program save to a store of yours"
    )]
    SharedFolder {
        /// The task.
        task: String,
        /// The engine.
        engine: String,
    },
    /// A folder that other trials see.
    #[error(
        "task `{task}` declares `outputs`, which others find in the spec's folder: with `engine.store` each job has a copy \
         of that folder, of which only trials' own folders come back. Run it on this machine or where a folder is shared, \
         or take `outputs` out and let the task write them to {{dir}} or to a bucket of yours"
    )]
    SharedOutputs {
        /// The task.
        task: String,
    },
    /// One store only.
    #[error(
        "SkyPilot brings records by its own way, and what trials leave to `engine.skypilot.store`: take `engine.store` out, \
         or use another engine"
    )]
    OwnStore,
    /// A volume instead.
    #[error(
        "Kubernetes goes by `engine.kubernetes.volume`, which pods share with this machine; it cannot go by a store yet: take \
         `engine.store` out"
    )]
    VolumeOnly,
    /// More GPUs.
    #[error(
        "task `{task}` asks for {gpus} GPUs, and `engine.skypilot.accelerators` gives a machine {given}: raise one, or \
         lower the other"
    )]
    Gpus {
        /// The task.
        task: String,
        /// How many it asks for.
        gpus: u32,
        /// How many a machine has.
        given: u32,
    },
}

impl EngineSpec {
    /// Takes an engine by its name.
    pub fn choose(&mut self, choice: EngineChoice) {
        (self.kind, self.scheduler) = match choice {
            EngineChoice::Kind(kind) => (kind, None),
            EngineChoice::Profile(name) => (EngineKind::Template, Some(name.to_owned())),
        };
    }

    /// The description of the scheduler: its own table, where it was chosen by its name, over `engine.template`.
    pub fn described(&self) -> TemplateOptions {
        let Some(name) = &self.scheduler else {
            return self.template.clone();
        };
        let own = self.schedulers.get(name).cloned().unwrap_or_default();
        TemplateOptions {
            profile: Some(name.clone()),
            ..own.over(self.template.clone())
        }
    }

    /// What the engine needs of a spec with these tasks, and does not get.
    pub fn lacks(&self, tasks: &[Task]) -> Vec<EngineLack> {
        let mut lacks = self.lacks_without_store(tasks);
        if self.store.is_some() && self.kind == EngineKind::Skypilot {
            lacks.push(EngineLack::OwnStore);
        } else if self.store.is_some() && self.kind == EngineKind::Kubernetes {
            lacks.push(EngineLack::VolumeOnly);
        } else if self.store.is_some() && self.kind != EngineKind::Local && lacks.is_empty() {
            let name = self.scheduler.as_deref().unwrap_or(self.kind.word());
            lacks.extend(unshared(tasks, name));
            let making = tasks.iter().filter(|task| !task.outputs.is_empty());
            lacks.extend(making.map(|task| EngineLack::SharedOutputs {
                task: task.id.clone(),
            }));
        }
        lacks
    }

    fn lacks_without_store(&self, tasks: &[Task]) -> Vec<EngineLack> {
        match self.kind {
            EngineKind::Local | EngineKind::Slurm => Vec::new(),
            EngineKind::Kubernetes => {
                let engine = "kubernetes";
                let missing = self.kubernetes.missing();
                let missing = missing.map(|(key, what)| EngineLack::Key { engine, key, what });
                missing.chain(alone(tasks, engine)).collect()
            }
            EngineKind::Template => {
                let described = self.described();
                let mut lacks = described.lacks();
                let apart =
                    described.collect.is_some() || described.profile.as_deref() == Some("modal");
                if apart {
                    let name = self.scheduler.as_deref().unwrap_or("template");
                    lacks.extend(unshared(tasks, name));
                }
                lacks
            }
            EngineKind::Skypilot => {
                let asked = tasks.iter().filter_map(|task| {
                    let gpus = task.resources.gpus.filter(|gpus| *gpus > 0)?;
                    self.skypilot.lacks(&task.id, gpus)
                });
                asked.chain(unshared(tasks, "skypilot")).collect()
            }
        }
    }

    /// Whether the spec says nothing about engines; then it stays out of the resolved form.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Tasks that want a machine for themselves, where an engine has none.
fn alone(tasks: &[Task], engine: &'static str) -> impl Iterator<Item = EngineLack> {
    let alone = tasks.iter().filter(|task| task.resources.exclusive);
    alone.map(move |task| EngineLack::Exclusive {
        task: task.id.clone(),
        engine,
    })
}

/// Tasks that save what another machine is to go on from.
fn unshared(tasks: &[Task], engine: &str) -> impl Iterator<Item = EngineLack> {
    let saving = tasks.iter().filter(|task| task.checkpoint.is_some());
    saving.map(move |task| EngineLack::SharedFolder {
        task: task.id.clone(),
        engine: engine.to_owned(),
    })
}

/// What both arms of a seed share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairOn {
    /// The node: they stand in one job.
    Node,
}

/// What the user wants of Slurm.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlurmOptions {
    /// `--partition`.
    pub partition: Option<String>,
    /// `--account`.
    pub account: Option<String>,
    /// `--qos`.
    pub qos: Option<String>,
    /// `--constraint`.
    pub constraint: Option<String>,
    /// Seconds that one job may take (`--time`).
    pub time_s: Option<f64>,
    /// Type of GPU, for `--gres=gpu:TYPE:N`.
    pub gpu_type: Option<String>,
    /// Further arguments of `sbatch`.
    pub args: Vec<String>,
    /// Shell lines that run on the node before the trials.
    pub setup: Option<String>,
    /// Login node on which the Slurm commands are run.
    pub ssh: Option<String>,
    /// Whether Slurm may start a job again after a lost node or a preemption.
    pub no_requeue: bool,
}

/// What a submission defines in the commands of `engine.template`.
const OF_A_BATCH: &[&str] = &[
    "key",
    "script",
    "description",
    "program",
    "folder",
    "workdir",
    "first",
    "last",
    "count",
    "parallel",
    "cpus",
    "memory_mb",
    "gpus",
    "minutes",
    "asked_memory_mb",
    "asked_minutes",
];

/// The placeholders of each text of `engine.template` that has some.
pub const TEMPLATE_PLACEHOLDERS: [(&str, &[&str]); 7] = [
    ("submit", OF_A_BATCH),
    ("description", OF_A_BATCH),
    ("find", &["key"]),
    ("poll", &["handles"]),
    ("cancel", &["handle", "key", "element"]),
    ("logs", &["handle", "element"]),
    ("collect", &["folder", "handles"]),
];

/// A scheduler described by its commands. Absent values come from the profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TemplateOptions {
    /// A shipped profile whose values are defaults under these.
    pub profile: Option<String>,
    /// Prints the scheduler's version, or fails where it is not reached.
    pub probe: Option<String>,
    /// Submits an array of jobs; prints the handle.
    pub submit: Option<String>,
    /// Where the handle stands in what `submit` and `find` print: the first group.
    pub handle: Option<String>,
    /// Finds a job by its key.
    pub find: Option<String>,
    /// Prints the state of jobs.
    pub poll: Option<String>,
    /// A line of `poll`: groups `handle`, `element` (absent: all of the handle) and `state`.
    pub line: Option<String>,
    /// Words of the scheduler, and what they mean.
    pub states: BTreeMap<String, String>,
    /// Ends a job.
    pub cancel: Option<String>,
    /// Prints what a job wrote.
    pub logs: Option<String>,
    /// Brings results here, where nodes share no filesystem with this machine.
    pub collect: Option<String>,
    /// The element's number inside a job, as the shell sees it.
    pub element: Option<String>,
    /// Number of the first element.
    pub first: Option<u64>,
    /// Most elements in one submission.
    pub max_elements: Option<u64>,
    /// Text of a file that `submit` names as `{description}`.
    pub description: Option<String>,
    /// Shell lines that run on the node before the trials.
    pub setup: Option<String>,
}

impl TemplateOptions {
    /// These values, and the others' where there are none.
    #[must_use]
    pub fn over(self, under: Self) -> Self {
        let mut states = under.states;
        states.extend(self.states);
        Self {
            profile: self.profile.or(under.profile),
            probe: self.probe.or(under.probe),
            submit: self.submit.or(under.submit),
            handle: self.handle.or(under.handle),
            find: self.find.or(under.find),
            poll: self.poll.or(under.poll),
            line: self.line.or(under.line),
            states,
            cancel: self.cancel.or(under.cancel),
            logs: self.logs.or(under.logs),
            collect: self.collect.or(under.collect),
            element: self.element.or(under.element),
            first: self.first.or(under.first),
            max_elements: self.max_elements.or(under.max_elements),
            description: self.description.or(under.description),
            setup: self.setup.or(under.setup),
        }
    }

    /// The commands that are missing. A shipped profile has them all.
    fn lacks(&self) -> Vec<EngineLack> {
        if self.profile.is_some() {
            return Vec::new();
        }
        let needed = [("submit", &self.submit), ("poll", &self.poll)];
        let missing = needed.into_iter().filter(|(_, command)| command.is_none());
        missing.map(|(key, _)| EngineLack::Command(key)).collect()
    }
}

/// What the user wants of SkyPilot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkypilotOptions {
    /// Cloud, region, zone: `aws/us-east-1`.
    pub infra: Option<String>,
    /// GPUs: `H100:1`.
    pub accelerators: Option<String>,
    /// Virtual CPUs, `+` for at least.
    pub cpus: Option<String>,
    /// Memory in GB, `+` for at least.
    pub memory: Option<String>,
    /// Whether cheaper machines that can be taken away are used.
    pub spot: bool,
    /// Machine image or container.
    pub image: Option<String>,
    /// Disk in GB.
    pub disk_size: Option<u64>,
    /// Shell lines that prepare a machine.
    pub setup: Option<String>,
    /// Folder that is copied to each machine; the trials' working directory.
    pub workdir: Option<String>,
    /// Variables whose values are secrets: only the names are written down.
    pub secrets: Vec<String>,
    /// Bucket for what trials leave.
    pub store: Option<String>,
    /// Where the binary is on the machine, or how `setup` puts it there.
    pub program: Option<String>,
}

impl SkypilotOptions {
    /// The GPUs of a machine for trials that take so many, as SkyPilot writes them: type and number.
    pub fn gpus(&self, asked: u32) -> Option<String> {
        let kind = self.accelerators.as_ref()?;
        if kind.contains(':') || asked == 0 {
            return Some(kind.clone());
        }
        Some(format!("{kind}:{asked}"))
    }

    fn lacks(&self, task: &str, gpus: u32) -> Option<EngineLack> {
        let task = task.to_owned();
        let Some(accelerators) = &self.accelerators else {
            return Some(EngineLack::GpuType { task, gpus });
        };
        let (_, given) = accelerators.rsplit_once(':')?;
        // SkyPilot also has parts of a GPU, and forms that it alone can read.
        let given = given.trim().parse::<u32>().ok()?;
        (given < gpus).then_some(EngineLack::Gpus { task, gpus, given })
    }
}
