//! What this machine lends to trials: CPUs, memory, GPUs, and the right to be alone. No process, no clock.
//!
//! Trials that declare nothing cost nothing here: slots alone hold them back. A trial that does not fit waits, and
//! those after it wait too: the plan's order is part of the experiment, and a large trial must not starve.

use fairtrial_journal::provenance::{Host, physical_cores};
use fairtrial_spec::{EngineSpec, Needs, Spec};
use std::collections::HashMap;

/// What is free, and who has the rest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Capacity {
    cpus: u32,
    memory: u64,
    gpus: Vec<String>,
    lends_gpus: bool,
    leases: HashMap<u64, Lease>,
    running: usize,
    alone: bool,
}

/// What one trial has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Lease {
    cpus: u32,
    memory: u64,
    gpus: Vec<String>,
    exclusive: bool,
}

impl Capacity {
    /// What this machine lends to a spec's trials.
    pub(crate) fn of_this_machine(spec: &Spec) -> Self {
        let EngineSpec {
            gpus,
            cpus,
            memory_bytes,
            ..
        } = &spec.engine;
        let asks_for_memory = spec
            .tasks
            .iter()
            .any(|task| task.resources.memory_bytes.is_some());
        let all_memory = || asks_for_memory.then(|| Host::read().memory_bytes).flatten();
        let cores = u32::try_from(physical_cores()).unwrap_or(u32::MAX);
        Self {
            cpus: cpus.unwrap_or(cores),
            memory: memory_bytes.or_else(all_memory).unwrap_or(u64::MAX),
            gpus: gpus.clone(),
            lends_gpus: !gpus.is_empty(),
            ..Self::default()
        }
    }

    /// What a task asks for beyond all that there is, in words.
    pub(crate) fn refusal(&self, needs: &Needs) -> Option<String> {
        let lack = |what: &str, asked: u64, there: u64| {
            (asked > there).then(|| format!("{asked} {what} of {there}"))
        };
        let cpus = lack("CPUs", needs.cpus.unwrap_or(0).into(), self.cpus.into());
        let memory = lack(
            "bytes of memory",
            needs.memory_bytes.unwrap_or(0),
            self.memory,
        );
        let gpus = lack(
            "GPUs",
            needs.gpus.unwrap_or(0).into(),
            self.gpus.len() as u64,
        );
        cpus.or(memory).or(gpus)
    }

    /// Takes what a trial needs; says whether it fits now.
    pub(crate) fn take(&mut self, index: u64, needs: &Needs) -> bool {
        let gpus = needs.gpus.unwrap_or(u32::from(self.lends_gpus)) as usize;
        let cpus = needs.cpus.unwrap_or(0);
        let memory = needs.memory_bytes.unwrap_or(0);
        let room = cpus <= self.cpus && memory <= self.memory && gpus <= self.gpus.len();
        if !room || self.alone || (needs.exclusive && self.running > 0) {
            return false;
        }
        self.cpus -= cpus;
        self.memory -= memory;
        self.alone = needs.exclusive;
        self.running += 1;
        let lease = Lease {
            cpus,
            memory,
            gpus: self.gpus.drain(..gpus).collect(),
            exclusive: needs.exclusive,
        };
        self.leases.insert(index, lease);
        true
    }

    /// Gets back what a trial had.
    pub(crate) fn give_back(&mut self, index: u64) {
        let Some(lease) = self.leases.remove(&index) else {
            return;
        };
        self.cpus += lease.cpus;
        self.memory += lease.memory;
        self.gpus.extend(lease.gpus);
        self.gpus.sort();
        self.running -= 1;
        if lease.exclusive {
            self.alone = false;
        }
    }

    /// The value of `CUDA_VISIBLE_DEVICES` for a trial; absent where this machine lends no GPUs.
    pub(crate) fn devices(&self, index: u64) -> Option<String> {
        let lease = self.leases.get(&index)?;
        self.lends_gpus.then(|| lease.gpus.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::Capacity;
    use fairtrial_spec::Needs;

    fn machine() -> Capacity {
        Capacity {
            cpus: 4,
            memory: 100,
            gpus: vec!["0".into(), "1".into()],
            lends_gpus: true,
            ..Capacity::default()
        }
    }

    #[test]
    fn devices_are_lent_once_and_come_back() {
        let mut machine = machine();
        let one = Needs::default();
        assert!(machine.take(0, &one) && machine.take(1, &one));
        assert_eq!(machine.devices(0).as_deref(), Some("0"));
        assert_eq!(machine.devices(1).as_deref(), Some("1"));
        assert!(!machine.take(2, &one));
        let none = Needs {
            gpus: Some(0),
            ..Needs::default()
        };
        assert!(machine.take(3, &none));
        assert_eq!(machine.devices(3).as_deref(), Some(""));
        machine.give_back(1);
        machine.give_back(0);
        let both = Needs {
            gpus: Some(2),
            ..Needs::default()
        };
        assert!(machine.take(4, &both));
        assert_eq!(machine.devices(4).as_deref(), Some("0,1"));
    }

    #[test]
    fn cpus_and_memory_are_counted_and_the_exclusive_are_alone() {
        let mut machine = machine();
        let half = Needs {
            cpus: Some(2),
            memory_bytes: Some(40),
            gpus: Some(0),
            exclusive: false,
        };
        assert!(machine.take(0, &half) && machine.take(1, &half));
        assert!(!machine.take(2, &half));
        machine.give_back(0);
        let alone = Needs {
            gpus: Some(0),
            exclusive: true,
            ..Needs::default()
        };
        assert!(!machine.take(3, &alone));
        machine.give_back(1);
        assert!(machine.take(3, &alone));
        assert!(!machine.take(4, &half));
        machine.give_back(3);
        assert!(machine.take(4, &half));
        let huge = Needs {
            cpus: Some(5),
            ..Needs::default()
        };
        assert_eq!(machine.refusal(&huge).as_deref(), Some("5 CPUs of 2"));
    }
}
