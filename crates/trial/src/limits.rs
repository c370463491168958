//! Limits on memory, processes and CPU time: by control groups where this machine lets us make them, else by rlimits.
//!
//! A trial without such limits gets no control group, unless the peak of its memory is asked for: making one costs more
//! than starting the program.

#![allow(
    clippy::unnecessary_cast,
    reason = "the type of a resource's number differs between systems"
)]

use crate::wire::LaunchLimits;
use fairtrial_model::LimitBackend;
use fairtrial_process::cgroup::{Group, GroupLimits, Hierarchy, Version};

/// What this machine offers for limits, best first.
#[derive(Debug, Clone)]
pub enum Backend {
    /// Control groups of this version, below this folder (or folders: version 1 has one per controller).
    Cgroup(Hierarchy),
    /// Only per-process limits, for this reason.
    Rlimit(String),
}

impl Backend {
    /// Looks at this machine.
    pub fn probe() -> Self {
        Hierarchy::probe().map_or_else(Self::Rlimit, Self::Cgroup)
    }

    /// The word for records.
    pub fn kind(&self) -> LimitBackend {
        match self {
            Self::Cgroup(hierarchy) => word(hierarchy.version()),
            Self::Rlimit(_) => LimitBackend::Rlimit,
        }
    }
}

/// The word for records.
fn word(version: Version) -> LimitBackend {
    match version {
        Version::V1 => LimitBackend::CgroupV1,
        Version::V2 => LimitBackend::CgroupV2,
    }
}

/// Limits made ready for one trial.
pub(crate) struct Applied {
    /// The trial's own group.
    pub(crate) group: Option<Group>,
    /// `setrlimit` calls for the child.
    pub(crate) rlimits: Vec<(u32, u64, u64)>,
    /// What enforces them; absent where there are none.
    pub(crate) by: Option<LimitBackend>,
    /// What a reader should know.
    pub(crate) notes: Vec<String>,
}

impl Applied {
    /// What a reader of the ended trial should know.
    pub(crate) fn told(&mut self, limits: &LaunchLimits) -> Vec<String> {
        let refused = self.group.as_ref().map_or(0, Group::refused_processes);
        if let (Some(limit), 1..) = (limits.processes, refused) {
            let often = match refused {
                1 => "once".to_owned(),
                many => format!("{many} times"),
            };
            let note = format!("the limit of {limit} processes was reached {often}");
            self.notes.push(note);
        }
        std::mem::take(&mut self.notes)
    }
}

/// Makes the limits of one trial ready; `name` is unique on this machine.
pub(crate) fn apply(limits: &LaunchLimits, backend: &Backend, name: &str) -> Applied {
    let mut applied = Applied {
        group: None,
        rlimits: Vec::new(),
        by: None,
        notes: Vec::new(),
    };
    if let Some(cpu_ms) = limits.cpu_ms {
        // Each process on its own; the group's clock, where there is one, is watched for the trial as a whole.
        let seconds = cpu_ms.div_ceil(1000).max(1);
        applied
            .rlimits
            .push((libc::RLIMIT_CPU as u32, seconds, seconds + 1));
        applied.by = Some(LimitBackend::Rlimit);
    }
    match backend {
        Backend::Cgroup(hierarchy) => match hierarchy.create(name, &of_group(limits)) {
            Ok(group) => {
                applied.group = Some(group);
                applied.by = limits.are_any().then(|| word(hierarchy.version()));
            }
            Err(error) => fall_back(limits, &mut applied, &format!("no control group ({error})")),
        },
        Backend::Rlimit(reason) => fall_back(limits, &mut applied, reason),
    }
    applied
}

fn of_group(limits: &LaunchLimits) -> GroupLimits {
    GroupLimits {
        memory_bytes: limits.memory_bytes,
        processes: limits.processes,
    }
}

fn fall_back(limits: &LaunchLimits, applied: &mut Applied, reason: &str) {
    if let Some(bytes) = limits.memory_bytes {
        applied.rlimits.push((libc::RLIMIT_AS as u32, bytes, bytes));
        applied.notes.push(format!(
            "memory limit holds for each process's address space: {reason}"
        ));
    }
    if let Some(processes) = limits.processes {
        applied
            .rlimits
            .push((libc::RLIMIT_NPROC as u32, processes, processes));
        applied.notes.push(format!(
            "process limit counts all of this user's processes: {reason}"
        ));
    }
    applied.by = limits.are_any().then_some(LimitBackend::Rlimit);
}
