//! From trials to chunks: which trials share a job. No scheduler, no file.

use super::contract::JobNeeds;
use crate::attempt_id::AttemptId;
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
    pub(crate) trials: Vec<AttemptId>,
    pub(crate) needs: JobNeeds,
}

impl Packing<'_> {
    /// Puts trials into loads; loads with the same needs stand together, because one array asks for one thing.
    pub(crate) fn pack(&self, id: &[AttemptId]) -> Vec<Load> {
        let mut kinds: Vec<(JobNeeds, Vec<Vec<AttemptId>>)> = Vec::new();
        for group in self.groups(id) {
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
                let trials: Vec<AttemptId> = some.iter().flatten().copied().collect();
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
    fn groups(&self, id: &[AttemptId]) -> Vec<Vec<AttemptId>> {
        if self.engine.pair_on != Some(PairOn::Node) {
            return id.iter().map(|id| vec![*id]).collect();
        }
        let mut order: Vec<Vec<AttemptId>> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for id in id {
            let Some(trial) = self.plan.trial(id.index) else {
                continue;
            };
            let key = &trial.key;
            // Everything but the arm.
            let pair = format!("{}\0{}\0{}\0{}", key.task, key.point, key.seed, key.rollout);
            let place = *places.entry(pair).or_insert_with(|| {
                order.push(Vec::new());
                order.len() - 1
            });
            order[place].push(*id);
        }
        order
    }

    /// How many groups stand in one job.
    fn per_job(&self, groups: &[Vec<AttemptId>]) -> usize {
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
        let long = |id: &AttemptId| {
            let trial = self.plan.trial(id.index);
            trial.is_some_and(|trial| trial.task.limits.wall_s.is_some_and(|wall| wall > LONG_S))
        };
        if groups.iter().flatten().any(long) || count <= 4 * places {
            return 1;
        }
        count.div_ceil(2 * places).max(1) as usize
    }

    /// What a job with these trials takes.
    pub(crate) fn needs(&self, group: &[AttemptId]) -> JobNeeds {
        let mut needs = JobNeeds::default();
        for trial in self.trials(group) {
            let asked = &trial.task.resources;
            needs.cpus = needs.cpus.max(asked.cpus);
            let memory = asked.memory_bytes.or(trial.task.limits.memory_bytes);
            needs.memory_bytes = needs.memory_bytes.max(memory);
            needs.gpus = needs.gpus.max(asked.gpus.unwrap_or(0));
            needs.exclusive |= asked.exclusive;
            let notice = trial.task.checkpoint.map(|rule| rule.notice_s);
            needs.notice_s = match (needs.notice_s, notice) {
                (Some(known), Some(new)) => Some(known.max(new)),
                (known, new) => known.or(new),
            };
        }
        needs
    }

    /// Seconds for all of them one after another, where each has a limit.
    fn time(&self, trials: &[AttemptId]) -> Option<f64> {
        let each = self.trials(trials).map(|trial| {
            let limits = &trial.task.limits;
            limits.wall_s.map(|wall| wall + trial.task.ending_s())
        });
        let sum: Option<f64> = each.sum();
        sum.map(|sum| sum + SPARE_S)
    }

    fn trials<'s>(&'s self, id: &'s [AttemptId]) -> impl Iterator<Item = Trial<'s>> {
        id.iter().filter_map(|id| self.plan.trial(id.index))
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

#[cfg(test)]
mod tests {
    use super::{Load, Packing};
    use crate::attempt_id::AttemptId;
    use fairtrial_plan::Plan;
    use fairtrial_spec::{Format, LoadOptions, load_text};
    use std::sync::Arc;

    fn plan(text: &str) -> Plan {
        let loaded = load_text("test.toml", text, Format::Toml, &LoadOptions::default());
        let spec = loaded.spec;
        let spec = spec.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        Plan::new(Arc::new(spec), None).unwrap()
    }

    /// Packs a whole plan for so many places, with trials that took so long before.
    fn pack(plan: &Plan, places: Option<u64>, expected_s: Option<f64>) -> Vec<Load> {
        let id: Vec<AttemptId> = (0..plan.len())
            .map(|index| AttemptId { index, attempt: 1 })
            .collect();
        let packing = Packing {
            plan,
            engine: &plan.spec().engine,
            places,
            expected_s,
        };
        let loads = packing.pack(&id);
        let mut held: Vec<u64> = loads
            .iter()
            .flat_map(|load| load.trials.iter().map(|id| id.index))
            .collect();
        held.sort_unstable();
        assert_eq!(
            held,
            (0..plan.len()).collect::<Vec<u64>>(),
            "each trial once"
        );
        loads
    }

    fn sizes(loads: &[Load]) -> Vec<usize> {
        loads.iter().map(|load| load.trials.len()).collect()
    }

    #[test]
    fn the_users_number_is_kept() {
        let plan = plan("seeds = 10\ncommand = \"p\"\n[engine]\npack = 4\n");
        let loads = pack(&plan, Some(100), Some(1.0));
        assert_eq!(sizes(&loads), [4, 4, 2]);
        let order: Vec<u64> = loads[0].trials.iter().map(|id| id.index).collect();
        assert_eq!(order, [0, 1, 2, 3], "in the order of the plan");
    }

    #[test]
    fn a_minute_of_work_and_no_place_left_idle() {
        let plan = plan("seeds = 100\ncommand = \"p\"\n");
        // 60 trials of a second make a minute; but ten places want ten jobs.
        assert_eq!(sizes(&pack(&plan, Some(1), Some(1.0))), [60, 40]);
        assert_eq!(sizes(&pack(&plan, Some(10), Some(1.0))), [10; 10]);
        assert_eq!(sizes(&pack(&plan, Some(10), Some(3600.0))), [1; 100]);
        // Nothing is known: two jobs for every place, or one for every trial where there are few.
        assert_eq!(sizes(&pack(&plan, Some(10), None)), [5; 20]);
        assert_eq!(sizes(&pack(&plan, Some(25), None)), [1; 100]);
        assert_eq!(sizes(&pack(&plan, None, None)), [50, 50]);
    }

    #[test]
    fn long_trials_stay_alone() {
        let plan = plan("seeds = 100\ncommand = \"p\"\ntimeout = \"11m\"\n");
        assert_eq!(sizes(&pack(&plan, Some(1), None)), [1; 100]);
    }

    #[test]
    fn arms_of_a_seed_stay_together_where_asked_for() {
        let plan = plan(
            "seeds = 6\ncommand = \"p\"\n[arms.a]\n[arms.b]\n[arms.c]\n[engine]\npack = 7\npair_on = \"node\"\n",
        );
        let loads = pack(&plan, None, None);
        assert_eq!(sizes(&loads), [6, 6, 6], "whole groups only");
        for load in &loads {
            let mut seeds: Vec<u64> = load
                .trials
                .iter()
                .map(|id| plan.trial(id.index).unwrap().key.seed)
                .collect();
            seeds.sort_unstable();
            seeds.dedup();
            assert_eq!(seeds.len(), 2);
        }
    }

    #[test]
    fn jobs_ask_for_what_their_trials_need() {
        let plan = plan(
            "seeds = 4\n[engine]\npack = 4\n\
             [[tasks]]\nid = \"small\"\ncommand = \"p\"\ntimeout = \"30s\"\nkill_grace = \"5s\"\n\
             [[tasks]]\nid = \"large\"\ncommand = \"q\"\ntimeout = \"60s\"\nkill_grace = \"5s\"\n\
             resources = { cpus = 4, memory = \"2GiB\", gpus = 1, exclusive = true }\n",
        );
        let loads = pack(&plan, None, None);
        assert_eq!(sizes(&loads), [4, 4], "what differs in needs shares no job");
        let of = |task: &str| {
            let holds = |load: &&Load| plan.trial(load.trials[0].index).unwrap().key.task == task;
            loads.iter().find(holds).unwrap().needs.clone()
        };
        let (small, large) = (of("small"), of("large"));
        assert_eq!((small.cpus, small.gpus, small.exclusive), (None, 0, false));
        assert_eq!(small.time_s, Some(4.0 * 35.0 + 120.0));
        assert_eq!(
            (large.cpus, large.gpus, large.exclusive),
            (Some(4), 1, true)
        );
        assert_eq!(large.memory_bytes, Some(2 << 30));
        assert_eq!(large.time_s, Some(4.0 * 65.0 + 120.0));
    }

    #[test]
    fn jobs_of_one_array_ask_for_the_longest_time() {
        let plan = plan(
            "seeds = 5\ncommand = \"p\"\ntimeout = \"30s\"\nkill_grace = \"5s\"\n[engine]\npack = 4\n",
        );
        let loads = pack(&plan, None, None);
        assert_eq!(sizes(&loads), [4, 1]);
        assert_eq!(loads[0].needs, loads[1].needs);
    }
}
