//! Sequential runs: after every complete block of seeds the question "is it decided?" is asked, at an error rate that
//! counts all the looks.
//!
//! Pairs are taken in the order of the plan, whatever the order in which trials finish: fast runs are often the broken
//! ones, and must not overtake. What a look sees depends only on the records of the first pairs, so that a resumed run,
//! fed its records again, makes the very same looks and none twice.

mod blocks;
mod doubt;
mod look;
mod plan;
mod reason;
mod resumed;

pub use look::{ArmLook, Held, Look, Stop};
pub use plan::SequentialPlan;
pub(crate) use plan::metric_name;
pub use resumed::resumed_rule;

use crate::compare::failures::FailureCount;
use crate::compare::method::kind::Scale;
use crate::error::AnalysisError;
use crate::validity::{Floor, Tally};
use blocks::Blocks;
use doubt::{Asked, doubt, doubt_held};
use fairtrial_model::{Direction, Record};
use fairtrial_spec::{Spec, StopRule};
use fairtrial_stats::sequential::{Design, Schedule, Spending, TBoundaries, t_boundaries};
use serde::Serialize;

/// Version of the JSON form.
pub const SEQUENTIAL_SCHEMA: u32 = 1;
/// Null paths behind the boundaries: a quarter of a second, and a critical value good to three digits.
const PATHS: usize = 1 << 18;
/// Their seed: the boundaries are the same in every run of the same design.
const SEED: u64 = 0;

/// The rule at work: fed with records as they become final, it says when to stop.
#[derive(Debug, Clone)]
pub struct SequentialRule {
    plan: SequentialPlan,
    boundaries: TBoundaries,
    blocks: Blocks,
    looks: Vec<Look>,
    stop: Option<Stop>,
    /// The answers of the candidates, by place in the plan.
    answers: Vec<ArmAnswer>,
    /// The control's failures, then the candidates'.
    failures: Vec<FailureCount>,
    tally: Tally,
}

/// What is known about one candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmAnswer {
    /// The arm.
    pub arm: String,
    /// Its answer; absent while there is none.
    pub stop: Option<Stop>,
    /// Pairs that it rests on.
    pub pairs: usize,
    /// The sentence for it, or why there is none; absent while that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How often one arm failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArmFailures {
    /// The arm.
    pub arm: String,
    /// Its trials.
    #[serde(flatten)]
    pub count: FailureCount,
}

/// What a sequential run did, for its report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trajectory {
    /// [`SEQUENTIAL_SCHEMA`].
    pub schema: u32,
    /// The metric.
    pub metric: String,
    /// Which way is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// Its unit for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The scale of estimates, intervals and margins; on that of ratios they are logarithms.
    pub scale: Scale,
    /// The control arm.
    pub control: String,
    /// The other arms.
    pub candidates: Vec<String>,
    /// Two-sided error rate over all looks and arms together.
    pub alpha: f64,
    /// The share of it that each arm has: one minus the confidence of the repeated intervals.
    pub arm_alpha: f64,
    /// The looks that were planned, in pairs.
    pub planned: Vec<usize>,
    /// The looks that were taken.
    pub looks: Vec<Look>,
    /// Why it ended; absent while it goes on.
    pub stop: Option<Stop>,
    /// The sentence for that.
    pub reason: Option<String>,
    /// The candidates, each with its own answer.
    pub answers: Vec<ArmAnswer>,
    /// How often each arm failed, the control first.
    pub failures: Vec<ArmFailures>,
    /// Pairs that the answer rests on.
    pub pairs: usize,
    /// Pairs with a side missing among those that were complete.
    pub broken: usize,
    /// Trials that the budget held and the run did not need.
    pub trials_saved: u64,
    /// The budget in trials.
    pub trials_planned: u64,
}

impl SequentialRule {
    /// A rule for a spec whose seeds are the budget.
    pub fn new(spec: &Spec, plan: SequentialPlan) -> Result<Self, AnalysisError> {
        let first = plan.rule.min.max(2) as usize;
        let bad = |why: fairtrial_stats::Undefined| {
            AnalysisError::Question(format!("the stopping rule: {why}"))
        };
        let schedule = Schedule::every(1, first, plan.rule.max as usize).map_err(bad)?;
        let design = Design {
            schedule,
            spending: Spending::Power { rho: 2.0 },
            // Every arm against the control: the error rate is shared between them.
            alpha: plan.alpha / plan.candidates.len() as f64,
        };
        Ok(Self {
            boundaries: t_boundaries(&design, PATHS, SEED).map_err(bad)?,
            blocks: Blocks::new(spec, &plan),
            answers: plan
                .candidates
                .iter()
                .map(|arm| ArmAnswer::open(arm))
                .collect(),
            failures: vec![FailureCount::default(); 1 + plan.candidates.len()],
            tally: Tally::new(Floor::of(spec)),
            plan,
            looks: Vec::new(),
            stop: None,
        })
    }

    /// Takes in a final record; says why to stop, once it is decided. A record that came before changes nothing.
    pub fn settled(&mut self, record: &Record) -> Option<String> {
        if self.blocks.take(record, &self.plan) {
            self.tally.take(record);
            let arm = record.trial.arm.as_deref();
            if let Some(place) = arm.and_then(|arm| self.plan.place_of(arm)) {
                self.failures[place].add(record.outcome);
            }
        }
        for candidate in 0..self.answers.len() {
            while let Some(n) = self.due(candidate) {
                self.look(candidate, n);
            }
        }
        // What the machine broke may be made up for by what is still to come.
        if self.stop.is_none() && self.all_answered() && self.tally.too_few().is_none() {
            self.stop = look::together(&self.answers);
        }
        if self.stop.is_none() && self.blocks.all_complete() {
            self.stop = Some(Stop::Exhausted);
        }
        self.stop.map(|_| self.reason())
    }

    /// The pairs at which a candidate without an answer is to be looked at now. Each candidate has its own: one that
    /// fails must not keep the others waiting.
    fn due(&self, candidate: usize) -> Option<usize> {
        if self.stop.is_some() || self.answers[candidate].stop.is_some() {
            return None;
        }
        let arm = &self.answers[candidate].arm;
        let of_arm = |look: &&Look| look.arms.iter().any(|seen| seen.arm == *arm);
        let taken = self.looks.iter().filter(of_arm).count();
        let planned = self.boundaries.design.schedule.looks().get(taken).copied();
        planned.filter(|n| self.blocks.usable(candidate) >= *n)
    }

    fn look(&mut self, candidate: usize, n: usize) {
        let answer = &mut self.answers[candidate];
        let (differences, control_mean) = self.blocks.first(n, candidate);
        let rule = self.plan.rule(control_mean);
        let mut arm = look::take(&self.boundaries, &differences, &rule, &answer.arm);
        let asked = Asked {
            boundaries: &self.boundaries,
            blocks: &self.blocks,
            pairs: n,
            candidate,
            rule,
        };
        arm.withheld = arm.answer.and_then(|stop| doubt(&asked, stop));
        arm.held = arm.result.as_ref().map(|result| {
            let word = look::held_word(result, &asked.rule);
            let withheld = doubt_held(&asked, word);
            Held { word, withheld }
        });
        if arm.withheld.is_none() {
            (answer.stop, answer.pairs) = (arm.answer, n);
        }
        // In the order of pairs, whichever candidate came first.
        let place = self.looks.partition_point(|look| look.n < n);
        match self.looks.get_mut(place).filter(|look| look.n == n) {
            Some(look) => {
                let before = look.arms.partition_point(|seen| {
                    self.plan.place_of(&seen.arm) < self.plan.place_of(&arm.arm)
                });
                look.arms.insert(before, arm);
            }
            None => self.looks.insert(place, Look { n, arms: vec![arm] }),
        }
    }

    fn all_answered(&self) -> bool {
        self.answers.iter().all(|answer| answer.stop.is_some())
    }

    /// What was done so far.
    pub fn trajectory(&self) -> Trajectory {
        let planned = self.boundaries.design.schedule.looks().to_vec();
        let pairs = self.looks.last().map_or(0, |look| look.n);
        Trajectory {
            schema: SEQUENTIAL_SCHEMA,
            metric: self.plan.metric.name.clone(),
            direction: self.plan.metric.direction,
            unit: self.plan.metric.unit.clone(),
            scale: self.plan.scale(),
            control: self.plan.control.clone(),
            candidates: self.plan.candidates.clone(),
            alpha: self.plan.alpha,
            arm_alpha: self.boundaries.design.alpha,
            planned,
            looks: self.looks.clone(),
            stop: self.stop,
            reason: self.stop.map(|_| self.reason()),
            answers: self.answered(),
            failures: self.failed(),
            pairs,
            broken: self.blocks.broken(),
            trials_saved: self.blocks.trials().saturating_sub(self.blocks.recorded()),
            trials_planned: self.blocks.trials(),
        }
    }

    /// The answers with their sentences. What was taken back is none.
    fn answered(&self) -> Vec<ArmAnswer> {
        let taken_back = self.taken_back().is_some();
        let each = self.answers.iter().enumerate();
        each.map(|(place, answer)| ArmAnswer {
            stop: answer.stop.filter(|_| !taken_back),
            reason: (answer.stop.or(self.stop)).map(|_| self.arm_reason(place)),
            ..answer.clone()
        })
        .collect()
    }

    fn failed(&self) -> Vec<ArmFailures> {
        let arms = std::iter::once(&self.plan.control).chain(&self.plan.candidates);
        let each = arms.zip(&self.failures);
        each.map(|(arm, count)| ArmFailures {
            arm: arm.clone(),
            count: *count,
        })
        .collect()
    }
}

impl Trajectory {
    /// The look at an arm at so many pairs.
    pub fn look(&self, arm: &str, pairs: usize) -> Option<&ArmLook> {
        let look = self.looks.iter().find(|look| look.n == pairs)?;
        look.arms.iter().find(|of| of.arm == arm)
    }

    /// The last look at an arm.
    pub fn last_look(&self, arm: &str) -> Option<&ArmLook> {
        let mut all = self.looks.iter().rev().flat_map(|look| &look.arms);
        all.find(|of| of.arm == arm)
    }
}

impl ArmAnswer {
    fn open(arm: &str) -> Self {
        Self {
            arm: arm.to_owned(),
            stop: None,
            pairs: 0,
            reason: None,
        }
    }
}

/// The spec with its seeds as the rule's budget: the documented list goes on where it is too short.
pub fn with_budget(spec: &Spec, rule: &StopRule) -> Result<Spec, AnalysisError> {
    let max = rule.max as usize;
    let mut spec = spec.clone();
    let documented = spec
        .seeds
        .iter()
        .enumerate()
        .all(|(place, seed)| *seed == fairtrial_model::documented_seeds(place));
    if spec.seeds.len() < max && !documented {
        return Err(AnalysisError::Question(format!(
            "the stopping rule may need {max} seeds, but the spec lists {}; list more, or give a count",
            spec.seeds.len()
        )));
    }
    let from = spec.seeds.len();
    spec.seeds
        .extend((from..max).map(fairtrial_model::documented_seeds));
    spec.seeds.truncate(max);
    Ok(spec)
}
