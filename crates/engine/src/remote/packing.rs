//! From trials to chunks: which trials share a job. No scheduler, no file.

use super::contract::JobNeeds;
use crate::chunk::Given;
use fairtrial_plan::{Plan, Trial};
use fairtrial_spec::{EngineSpec, PairOn};
use std::collections::{BTreeMap, HashMap};

/// Seconds of work that a job should hold where trials are short.
const WORTHWHILE_S: f64 = 60.0;
/// A trial that may take longer than this is not packed unless the user says so.
const LONG_S: f64 = 600.0;
/// Seconds that a job needs beyond its trials.
const SPARE_S: f64 = 120.0;

/// What packing may know.
pub(crate) struct Packing<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) engine: &'a EngineSpec,
    /// Jobs that can run at the same time.
    pub(crate) places: Option<u64>,
    /// Mean seconds of a trial in an earlier run.
    pub(crate) expected_s: Option<f64>,
}

/// Trials for one job, and what the job takes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Load {
    pub(crate) trials: Vec<Given>,
    pub(crate) needs: JobNeeds,
}

impl Packing<'_> {
    /// Puts trials into loads; loads with the same needs stand together, because one array asks for one thing.
    pub(crate) fn pack(&self, given: &[Given]) -> Vec<Load> {
        let mut kinds: Vec<(JobNeeds, Vec<Vec<Given>>)> = Vec::new();
        for group in self.groups(given) {
            let needs = self.needs(&group);
            match kinds.iter_mut().find(|(known, _)| *known == needs) {
                Some((_, groups)) => groups.push(group),
                None => kinds.push((needs, vec![group])),
            }
        }
        let mut loads = Vec::new();
        for (needs, groups) in kinds {
            let per = self.per_job(&groups);
            for some in groups.chunks(per) {
                let trials: Vec<Given> = some.iter().flatten().copied().collect();
                let needs = JobNeeds {
                    time_s: self.time(&trials),
                    ..needs.clone()
                };
                loads.push(Load { trials, needs });
            }
        }
        even_times(&mut loads);
        loads
    }

    /// Trials that must stay together, in the order of the plan.
    fn groups(&self, given: &[Given]) -> Vec<Vec<Given>> {
        if self.engine.pair_on != Some(PairOn::Node) {
            return given.iter().map(|given| vec![*given]).collect();
        }
        let mut order: Vec<Vec<Given>> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for given in given {
            let Some(trial) = self.plan.trial(given.index) else {
                continue;
            };
            let key = &trial.key;
            // Everything but the arm.
            let pair = format!("{}\0{}\0{}\0{}", key.task, key.point, key.seed, key.rollout);
            let place = *places.entry(pair).or_insert_with(|| {
                order.push(Vec::new());
                order.len() - 1
            });
            order[place].push(*given);
        }
        order
    }

    /// How many groups stand in one job.
    fn per_job(&self, groups: &[Vec<Given>]) -> usize {
        let count = groups.len() as u64;
        let largest = groups.iter().map(Vec::len).max().unwrap_or(1) as u64;
        if let Some(pack) = self.engine.pack {
            return (u64::from(pack) / largest).max(1) as usize;
        }
        let places = self.places.unwrap_or(1).max(1);
        let even = count.div_ceil(places).max(1);
        if let Some(expected) = self.expected_s {
            let wanted = (WORTHWHILE_S / expected.max(0.001) / largest as f64).ceil();
            return (wanted as u64).clamp(1, even) as usize;
        }
        let long = |given: &Given| {
            let trial = self.plan.trial(given.index);
            trial.is_some_and(|trial| trial.task.limits.wall_s.is_some_and(|wall| wall > LONG_S))
        };
        if groups.iter().flatten().any(long) || count <= 4 * places {
            return 1;
        }
        count.div_ceil(2 * places).max(1) as usize
    }

    /// What a job with these trials takes.
    pub(crate) fn needs(&self, group: &[Given]) -> JobNeeds {
        let mut needs = JobNeeds::default();
        for trial in self.trials(group) {
            let asked = &trial.task.resources;
            needs.cpus = needs.cpus.max(asked.cpus);
            let memory = asked.memory_bytes.or(trial.task.limits.memory_bytes);
            needs.memory_bytes = needs.memory_bytes.max(memory);
            needs.gpus = needs.gpus.max(asked.gpus.unwrap_or(0));
            needs.exclusive |= asked.exclusive;
        }
        needs
    }

    /// Seconds for all of them one after another, where each has a limit.
    fn time(&self, trials: &[Given]) -> Option<f64> {
        let each = self.trials(trials).map(|trial| {
            let limits = &trial.task.limits;
            limits.wall_s.map(|wall| wall + limits.grace_s)
        });
        let sum: Option<f64> = each.sum();
        sum.map(|sum| sum + SPARE_S)
    }

    fn trials<'s>(&'s self, given: &'s [Given]) -> impl Iterator<Item = Trial<'s>> {
        given
            .iter()
            .filter_map(|given| self.plan.trial(given.index))
    }
}

/// Loads that differ only in their time get the longest, so that they can share an array.
fn even_times(loads: &mut [Load]) {
    let mut longest: BTreeMap<String, Option<f64>> = BTreeMap::new();
    let kind = |needs: &JobNeeds| {
        format!(
            "{:?}",
            JobNeeds {
                time_s: None,
                ..needs.clone()
            }
        )
    };
    for load in loads.iter() {
        let time = longest
            .entry(kind(&load.needs))
            .or_insert(load.needs.time_s);
        *time = match (*time, load.needs.time_s) {
            (Some(known), Some(new)) => Some(known.max(new)),
            _ => None,
        };
    }
    for load in loads {
        load.needs.time_s = longest.get(&kind(&load.needs)).copied().flatten();
    }
}
