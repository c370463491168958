//! Which blocks of seeds are complete, and what their pairs say.

use super::plan::SequentialPlan;
use crate::compare::data::fill::Fill;
use crate::ran_code::{CodeMixture, RanCode};
use fairtrial_journal::RunDir;
use fairtrial_model::{Outcome, Record};
use fairtrial_spec::{Spec, Task};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The blocks of a run in plan order; one block is one seed across all arms and tasks.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    /// Place of each seed in the plan.
    places: HashMap<u64, usize>,
    all: Vec<Block>,
    /// Trials of one block.
    size: u64,
    /// The tasks that have the metric: those that reported it in a complete block. One about another metric does not break
    /// the pairs of this one, and neither does one that fails in every arm: it says nothing about their difference.
    tasks: BTreeSet<String>,
    /// The blocks from the first on that are complete: the control, then the candidates.
    complete: Vec<Vec<BlockSide>>,
    /// For each candidate those of them in which it and the control have a value, by place.
    whole: Vec<Vec<usize>>,
    code: RanCode,
}

/// What an arm gave in a complete block.
#[derive(Debug, Clone, Copy, PartialEq)]
enum BlockSide {
    Value(f64),
    /// No value, which is the arm's own doing.
    Failed,
    /// No value, and the machine's doing.
    Excused,
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
    values: BTreeMap<String, (f64, u32)>,
    /// The tasks of which a trial reported the metric, whatever its value.
    reporting: BTreeSet<String>,
    /// Those with a trial without a value that is charged to the arm.
    failed: BTreeSet<String>,
    /// The first and the last step of the curves behind its values.
    steps: Vec<[f64; 2]>,
    /// Those with a trial that the machine broke.
    excused: BTreeSet<String>,
    /// What its trials ran: the task, the number of the state, the place in the plan.
    ran: Vec<(String, u32, u64)>,
}

impl Blocks {
    pub(super) fn new(spec: &Spec, plan: &SequentialPlan) -> Self {
        let arms = 1 + plan.candidates.len();
        let block = Block {
            seen: BTreeSet::new(),
            arms: vec![Arm::default(); arms],
        };
        let of_task = |task: &Task| {
            let named = plan.candidates.iter().chain([&plan.control]);
            let own = named.filter(|arm| task.runs_in(arm)).count().max(1);
            own as u64 * u64::from(task.rollouts)
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
            tasks: BTreeSet::new(),
            complete: Vec::new(),
            whole: vec![Vec::new(); plan.candidates.len()],
            code: RanCode::default(),
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
            .and_then(|name| plan.place_of(name));
        if let Some(arm) = arm.and_then(|arm| block.arms.get_mut(arm)) {
            if let Some(code) = &record.code {
                let ran = (
                    record.trial.task.clone(),
                    self.code.number(code),
                    record.trial.index,
                );
                arm.ran.push(ran);
            }
            let ok = record.outcome == Outcome::Ok;
            let task = record.trial.task.clone();
            let reported = record.metrics.get(&plan.metric.name).filter(|_| ok);
            if reported.is_some() {
                arm.reporting.insert(task.clone());
            }
            if reported.is_some()
                && let Some(series) = record.series.get(&plan.metric.name)
            {
                arm.steps.push([series.first_step.0, series.last_step.0]);
            }
            match reported.and_then(|number| plan.on_scale(number.0, &task)) {
                Some(value) => {
                    let (sum, n) = arm.values.entry(task).or_insert((0.0, 0));
                    *sum += value;
                    *n += 1;
                }
                None if record.outcome.is_final() => {
                    arm.failed.insert(task);
                }
                None => {
                    arm.excused.insert(task);
                }
            }
        }
        self.advance();
        true
    }

    fn advance(&mut self) {
        while let Some(block) = self
            .all
            .get(self.complete.len())
            .filter(|block| block.seen.len() as u64 >= self.size)
        {
            let known = self.tasks.len();
            let reporting = block.arms.iter().flat_map(|arm| &arm.reporting);
            self.tasks.extend(reporting.cloned());
            let place = self.complete.len();
            if self.tasks.len() > known {
                // The blocks before lack a task that has the metric after all.
                self.complete.clear();
                self.whole.iter_mut().for_each(Vec::clear);
            }
            for place in self.complete.len()..=place {
                self.complete(place);
            }
        }
    }

    /// Takes in a block that is complete.
    fn complete(&mut self, place: usize) {
        let arms = self.all[place].arms.iter();
        let sides: Vec<BlockSide> = arms.map(|arm| arm.side(&self.tasks)).collect();
        for (candidate, whole) in self.whole.iter_mut().enumerate() {
            if is_whole(&sides, candidate) {
                whole.push(place);
            }
        }
        self.complete.push(sides);
    }

    /// Complete blocks in which a candidate and the control have a value, from the first on.
    pub(super) fn usable(&self, candidate: usize) -> usize {
        self.whole[candidate].len()
    }

    /// Complete blocks with a side missing.
    pub(super) fn broken(&self) -> usize {
        let candidates = 0..self.whole.len();
        let is_broken = |block: &&Vec<BlockSide>| candidates.clone().any(|of| !is_whole(block, of));
        self.complete.iter().filter(is_broken).count()
    }

    /// Complete blocks.
    pub(super) fn completed(&self) -> usize {
        self.complete.len()
    }

    pub(super) fn all_complete(&self) -> bool {
        self.complete.len() == self.all.len()
    }

    /// The blocks that a look at `n` usable ones is about, the broken ones among them.
    fn until(&self, n: usize, candidate: usize) -> &[Vec<BlockSide>] {
        let whole = &self.whole[candidate];
        let last = n.checked_sub(1).and_then(|last| whole.get(last));
        last.map_or(&[], |last| &self.complete[..=*last])
    }

    /// The steps of the curves behind the values of a look: of the control, and of a candidate.
    pub(super) fn steps_until(&self, n: usize, candidate: usize) -> [Vec<[f64; 2]>; 2] {
        let blocks = &self.all[..self.until(n, candidate).len()];
        [0, candidate + 1].map(|arm| {
            let steps = blocks.iter().flat_map(|block| block.arms[arm].steps.iter());
            steps.copied().collect()
        })
    }

    /// The first task whose trials ran different versions of the same, in the blocks of a look; what the versions were made of
    /// is kept by the run.
    pub(super) fn mixture_until(
        &self,
        n: usize,
        candidate: usize,
        run: &RunDir,
    ) -> Option<CodeMixture> {
        let mut by_task: BTreeMap<&str, Vec<(u32, u64)>> = BTreeMap::new();
        for block in &self.all[..self.until(n, candidate).len()] {
            for (task, state, index) in [0, candidate + 1]
                .iter()
                .flat_map(|arm| &block.arms[*arm].ran)
            {
                by_task.entry(task).or_default().push((*state, *index));
            }
        }
        let is_mixed = |ran: &&Vec<(u32, u64)>| ran.iter().any(|(state, _)| *state != ran[0].0);
        let mut mixed = by_task.values().filter(is_mixed).peekable();
        mixed.peek()?;
        let mut code = self.code.clone();
        code.read_sets(run);
        mixed.find_map(|ran| code.mixture(ran.iter().copied()))
    }

    /// Tasks that failed in every arm of the blocks of a look.
    pub(super) fn silent_tasks(&self, n: usize, candidate: usize) -> Vec<String> {
        let blocks = &self.all[..self.until(n, candidate).len()];
        let failed = blocks.iter().flat_map(|block| &block.arms);
        let failed: BTreeSet<&String> = failed.flat_map(|arm| &arm.failed).collect();
        let silent = failed
            .into_iter()
            .filter(|task| !self.tasks.contains(*task));
        silent.cloned().collect()
    }

    /// The blocks of a look with a side missing, and all of them.
    pub(super) fn broken_until(&self, n: usize, candidate: usize) -> (usize, usize) {
        let blocks = self.until(n, candidate).len();
        (blocks.saturating_sub(n), blocks)
    }

    /// The first `n` differences of a candidate, and the control's mean over them.
    pub(super) fn first(&self, n: usize, candidate: usize) -> (Vec<f64>, f64) {
        let pairs: Vec<(f64, f64)> = self.pairs(n, candidate, None).collect();
        let control: f64 = pairs.iter().map(|(control, _)| control).sum();
        let differences = pairs.iter().map(|(control, value)| value - control);
        (differences.collect(), control / pairs.len().max(1) as f64)
    }

    /// The differences of a candidate at a look with failures counted as given; absent where nothing of it failed.
    pub(super) fn filled(&self, n: usize, candidate: usize, fill: Fill) -> Option<Vec<f64>> {
        let failed = |block: &Vec<BlockSide>| {
            block[0] == BlockSide::Failed || block[candidate + 1] == BlockSide::Failed
        };
        self.until(n, candidate).iter().any(failed).then(|| {
            let pairs = self.pairs(n, candidate, Some(fill));
            pairs.map(|(control, value)| value - control).collect()
        })
    }

    /// The least and the largest value of both sides at a look.
    pub(super) fn extremes(&self, n: usize, candidate: usize) -> (f64, f64) {
        let sides = self.until(n, candidate).iter();
        let values = sides.flat_map(|block| [block[0], block[candidate + 1]]);
        let bounds = (f64::INFINITY, f64::NEG_INFINITY);
        values.fold(bounds, |(least, most), side| match side {
            BlockSide::Value(value) => (least.min(value), most.max(value)),
            BlockSide::Failed | BlockSide::Excused => (least, most),
        })
    }

    /// Both values of each block of a look: of the whole ones, or with stand-ins also of those with a failure.
    fn pairs(
        &self,
        n: usize,
        candidate: usize,
        fill: Option<Fill>,
    ) -> impl Iterator<Item = (f64, f64)> + '_ {
        let whole = move |block: &&Vec<BlockSide>| is_whole(block, candidate);
        let taken = self
            .until(n, candidate)
            .iter()
            .filter(move |block| fill.is_some() || whole(block));
        let fill = fill.unwrap_or(Fill {
            control: f64::NAN,
            candidate: f64::NAN,
        });
        taken.filter_map(move |block| {
            let control = block[0].value(fill.control)?;
            Some((control, block[candidate + 1].value(fill.candidate)?))
        })
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

/// Whether a candidate and the control have a value.
fn is_whole(block: &[BlockSide], candidate: usize) -> bool {
    let is_value = |place: usize| matches!(block[place], BlockSide::Value(_));
    is_value(0) && is_value(candidate + 1)
}

impl BlockSide {
    /// The value, or the one that stands in for a failure.
    fn value(self, stand_in: f64) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::Failed => Some(stand_in),
            Self::Excused => None,
        }
    }
}

impl Arm {
    /// One value over the tasks that have the metric: rollouts averaged, then tasks with equal weights.
    fn side(&self, tasks: &BTreeSet<String>) -> BlockSide {
        let means = self.values.values().map(|(sum, n)| sum / f64::from(*n));
        if !self.failed.is_disjoint(tasks) {
            BlockSide::Failed
        } else if !self.excused.is_disjoint(tasks) || self.values.is_empty() {
            BlockSide::Excused
        } else {
            BlockSide::Value(means.sum::<f64>() / self.values.len() as f64)
        }
    }
}
