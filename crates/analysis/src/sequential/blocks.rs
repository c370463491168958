//! Which blocks of seeds are complete, and what their pairs say.

use super::SequentialPlan;
use fairtrial_model::Record;
use fairtrial_spec::Spec;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The blocks of a run in plan order; one block is one seed across all arms and tasks.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    /// Place of each seed in the plan.
    places: HashMap<u64, usize>,
    all: Vec<Block>,
    /// Trials of one block.
    size: u64,
    /// How many blocks from the first on are complete.
    prefix: usize,
    /// The complete blocks whose pairs are whole, in plan order: the control's value, then the candidates'.
    whole: Vec<Vec<f64>>,
}

/// One block: what each arm reported, task by task; the first arm is the control.
#[derive(Debug, Clone)]
struct Block {
    seen: BTreeSet<u64>,
    arms: Vec<Arm>,
}

#[derive(Debug, Clone, Default)]
struct Arm {
    /// Sum and number of values by task.
    tasks: BTreeMap<String, (f64, u32)>,
    missing: bool,
}

impl Blocks {
    pub(super) fn new(spec: &Spec, plan: &SequentialPlan) -> Self {
        let arms = 1 + plan.candidates.len();
        let block = Block {
            seen: BTreeSet::new(),
            arms: vec![Arm::default(); arms],
        };
        let of_task = |task: &fairtrial_spec::Task| {
            let arms = if task.arm.is_some() { 1 } else { arms as u64 };
            arms * u64::from(task.rollouts)
        };
        Self {
            places: spec
                .seeds
                .iter()
                .enumerate()
                .map(|(place, seed)| (*seed, place))
                .collect(),
            all: vec![block; spec.seeds.len()],
            size: spec.tasks.iter().map(of_task).sum(),
            prefix: 0,
            whole: Vec::new(),
        }
    }

    /// Takes in a final record, once; says whether it was one that counts here.
    pub(super) fn take(&mut self, record: &Record, plan: &SequentialPlan) -> bool {
        let Some(block) = self
            .places
            .get(&record.trial.seed)
            .and_then(|place| self.all.get_mut(*place))
        else {
            return false;
        };
        if !block.seen.insert(record.trial.index) {
            return false;
        }
        let arm = record
            .trial
            .arm
            .as_deref()
            .and_then(|name| place_of(plan, name));
        if let Some(arm) = arm.and_then(|arm| block.arms.get_mut(arm)) {
            let value = record.metrics.get(&plan.metric).map(|number| number.0);
            let usable = value.filter(|value| {
                value.is_finite() && record.outcome == fairtrial_model::Outcome::Ok
            });
            match usable {
                Some(value) => {
                    let (sum, n) = arm
                        .tasks
                        .entry(record.trial.task.clone())
                        .or_insert((0.0, 0));
                    *sum += value;
                    *n += 1;
                }
                None => arm.missing = true,
            }
        }
        self.advance();
        true
    }

    fn advance(&mut self) {
        while let Some(block) = self
            .all
            .get(self.prefix)
            .filter(|block| block.seen.len() as u64 >= self.size)
        {
            self.whole.extend(block.values());
            self.prefix += 1;
        }
    }

    /// Complete blocks without a missing value, from the first on.
    pub(super) fn usable(&self) -> usize {
        self.whole.len()
    }

    /// Complete blocks with a side missing.
    pub(super) fn broken(&self) -> usize {
        self.prefix - self.whole.len()
    }

    pub(super) fn all_complete(&self) -> bool {
        self.prefix == self.all.len()
    }

    /// The first `n` differences of a candidate, and the control's mean over them.
    pub(super) fn first(&self, n: usize, candidate: usize) -> (Vec<f64>, f64) {
        let blocks = &self.whole[..n.min(self.whole.len())];
        let control: f64 = blocks.iter().map(|values| values[0]).sum();
        let differences = blocks
            .iter()
            .map(|values| values[candidate + 1] - values[0])
            .collect();
        (differences, control / blocks.len().max(1) as f64)
    }

    /// Trials of the whole budget.
    pub(super) fn trials(&self) -> u64 {
        self.size * self.all.len() as u64
    }

    /// Trials that have their record.
    pub(super) fn recorded(&self) -> u64 {
        self.all.iter().map(|block| block.seen.len() as u64).sum()
    }
}

impl Block {
    /// One value per arm: rollouts averaged, then tasks with equal weights; `None` where one is missing.
    fn values(&self) -> Option<Vec<f64>> {
        let mean = |arm: &Arm| {
            let whole = !arm.missing && !arm.tasks.is_empty();
            let means = arm.tasks.values().map(|(sum, n)| sum / f64::from(*n));
            whole.then(|| means.sum::<f64>() / arm.tasks.len() as f64)
        };
        self.arms.iter().map(mean).collect()
    }
}

/// 0 for the control, then the candidates.
fn place_of(plan: &SequentialPlan, arm: &str) -> Option<usize> {
    if arm == plan.control {
        return Some(0);
    }
    plan.candidates
        .iter()
        .position(|candidate| candidate == arm)
        .map(|place| place + 1)
}
