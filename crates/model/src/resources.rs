//! What a trial used. A field that could not be seen is absent ("unknown"), never 0.

use crate::counter::HardwareCounter;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The resource record of one trial: the process tree that the runner started, as far as the system shows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Resources {
    /// Wall seconds from start to end, by the monotonic clock.
    #[serde(rename = "wall_s", default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<f64>,
    /// CPU seconds in user mode.
    #[serde(rename = "user_s", default, skip_serializing_if = "Option::is_none")]
    pub user: Option<f64>,
    /// CPU seconds in the kernel.
    #[serde(rename = "sys_s", default, skip_serializing_if = "Option::is_none")]
    pub sys: Option<f64>,
    /// Highest memory use in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
    /// Where the peak comes from, which decides what it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_source: Option<MemorySource>,
    /// Page faults served without I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minor_faults: Option<u64>,
    /// Page faults that needed I/O.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub major_faults: Option<u64>,
    /// Context switches by waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voluntary_switches: Option<u64>,
    /// Context switches by preemption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub involuntary_switches: Option<u64>,
    /// Blocks of 512 bytes read from storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks_in: Option<u64>,
    /// Blocks of 512 bytes written to storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks_out: Option<u64>,
    /// Seconds that the main thread was ready to run and had to wait for a CPU: a gauge of contention.
    #[serde(
        rename = "run_queue_delay_s",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub run_queue_delay: Option<f64>,
    /// Processes left behind by the trial that the runner ended and counted in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leftover_processes: Option<u32>,
    /// How the limits were enforced; absent where no limit was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits_by: Option<LimitBackend>,
    /// What the processor counted in user space, where that was asked for: the program and all that it started.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counted: BTreeMap<HardwareCounter, u64>,
}

impl Resources {
    /// User plus kernel CPU seconds, where both are known.
    pub fn cpu(&self) -> Option<f64> {
        Some(self.user? + self.sys?)
    }

    /// A field by the name that it has in `resource:NAME`, where it is known.
    pub fn field(&self, name: &str) -> Option<f64> {
        match name {
            "wall" => self.wall,
            "user" => self.user,
            "sys" => self.sys,
            "cpu" => self.cpu(),
            // Of a program that is smaller than its launcher only a bound is known, which must not be compared as a value.
            "peak_memory" if self.peak_memory_source == Some(MemorySource::RusageFloor) => {
                Some(f64::NAN)
            }
            "peak_memory" => self.peak_memory_bytes.map(|bytes| bytes as f64),
            other => {
                let counter = HardwareCounter::named(other)?;
                self.counted.get(&counter).map(|count| *count as f64)
            }
        }
    }
}

/// Where a peak memory figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemorySource {
    /// The trial's own control group: all its processes together, page cache included.
    Cgroup,
    /// `ru_maxrss` of the largest single process.
    Rusage,
    /// `ru_maxrss`, but no larger than what every child inherits from its launcher: the true value is at most this.
    RusageFloor,
}

/// What enforces memory and process limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitBackend {
    /// Control groups, unified hierarchy.
    CgroupV2,
    /// Control groups, version 1.
    CgroupV1,
    /// Per-process resource limits: each process of the trial on its own, address space instead of memory.
    Rlimit,
}
