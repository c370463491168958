//! The stopping rule at work.

use super::blocks::Blocks;
use super::look::{Look, Stop, see};
use super::looking::Looking;
use super::objections::CandidateLook;
use super::plan::SequentialPlan;
use super::reason::{ArmReason, NoAnswer};
use super::trajectory::{ArmAnswer, ArmFailures, SEQUENTIAL_SCHEMA, Trajectory};
use crate::compare::failures::FailureCount;
use crate::compare::objections::mixed_code;
use crate::compare::objections::objection::{Groups, Objection, ObjectionKind};
use crate::error::AnalysisError;
use crate::validity::{Floor, MOST_BROKEN, ValidityByArm};
use fairtrial_journal::RunDir;
use fairtrial_model::Record;
use fairtrial_spec::Spec;

/// The rule at work: fed with records as they become final, it says when to stop.
#[derive(Debug, Clone)]
pub struct SequentialRule {
    plan: SequentialPlan,
    looking: Looking,
    blocks: Blocks,
    looks: Vec<Look>,
    stop: Option<Stop>,
    /// The answers of the candidates, by place in the plan.
    answers: Vec<ArmAnswer>,
    /// The control's failures, then the candidates'.
    failures: Vec<FailureCount>,
    tally: ValidityByArm,
    /// The run that the records are of, which keeps what they ran.
    run: Option<RunDir>,
    accepts_code: bool,
}

impl SequentialRule {
    /// A rule for a spec whose seeds are the budget.
    pub fn new(spec: &Spec, plan: SequentialPlan) -> Result<Self, AnalysisError> {
        Ok(Self {
            looking: Looking::of(&plan)?,
            blocks: Blocks::new(spec, &plan),
            answers: plan
                .candidates
                .iter()
                .map(|arm| ArmAnswer::open(arm))
                .collect(),
            failures: vec![FailureCount::default(); 1 + plan.candidates.len()],
            tally: ValidityByArm::new(Floor::of(spec)),
            plan,
            looks: Vec::new(),
            stop: None,
            run: None,
            accepts_code: false,
        })
    }

    /// Says of which run the records are: trials of it that ran different code speak against an answer.
    pub fn of_run(&mut self, run: &RunDir) {
        self.run = Some(run.clone());
    }

    /// Somebody accepted that the trials ran different code.
    pub fn accept_code(&mut self) {
        self.accepts_code = true;
    }

    /// Takes in a final record; says whether to stop. A record that came before changes nothing.
    pub fn settled(&mut self, record: &Record) -> bool {
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
        if self.stop.is_none() && self.all_answered() && self.too_few().is_none() {
            self.stop = together(&self.answers);
        }
        if self.stop.is_none() && self.blocks.all_complete() {
            self.stop = Some(Stop::Exhausted);
        }
        self.stop.is_some()
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
        let planned = self.looking.schedule().looks().get(taken).copied();
        planned.filter(|n| self.blocks.usable(candidate) >= *n)
    }

    fn look(&mut self, candidate: usize, n: usize) {
        let answer = &mut self.answers[candidate];
        let (differences, control_mean) = self.blocks.first(n, candidate);
        let rule = self.plan.rule(control_mean);
        let by = self.plan.judged_by();
        let seen = see(&self.looking, &differences, &rule, by);
        let mixture = self
            .run
            .as_ref()
            .and_then(|run| self.blocks.mixture_until(n, candidate, run));
        let look = CandidateLook {
            looking: &self.looking,
            blocks: &self.blocks,
            pairs: n,
            candidate,
            rule,
            by,
            metric: &self.plan.metric,
            mixed: mixture.map(|mixture| mixed_code::found(mixture, self.accepts_code)),
        };
        let objections = [look.against_answer(&seen), look.against_gate(&seen)];
        let counts = !objections[0].iter().any(Objection::holds_back);
        let arm = seen.judged(&answer.arm, &rule, objections);
        if counts {
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

    /// How many looks were taken.
    pub fn looks(&self) -> usize {
        self.looks.len()
    }

    /// What was done so far.
    pub fn trajectory(&self) -> Trajectory {
        let planned = self.looking.schedule().looks().to_vec();
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
            promise: self.plan.rule.promise,
            arm_alpha: self.looking.alpha(),
            planned,
            looks: self.looks.clone(),
            stop: self.stop,
            taken_back: self.taken_back(),
            answers: self.answered(),
            failures: self.failed(),
            pairs,
            broken: self.blocks.broken(),
            trials_saved: self.blocks.trials().saturating_sub(self.blocks.recorded()),
            trials_planned: self.blocks.trials(),
        }
    }

    /// The answers with their reasons. What was taken back is none.
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

impl SequentialRule {
    /// Why there is this answer for a candidate, or none.
    pub(super) fn arm_reason(&self, candidate: usize) -> ArmReason {
        let ArmAnswer { stop, pairs, .. } = self.answers[candidate];
        match stop.filter(|_| self.taken_back().is_none()) {
            None | Some(Stop::Exhausted) => ArmReason::Exhausted {
                budget: self.plan.rule.max,
                why: self.why_no_answer(candidate),
            },
            Some(stop) => ArmReason::Answered { stop, pairs },
        }
    }

    /// Why no answer counts, although every arm has one: too few trials do.
    pub(super) fn taken_back(&self) -> Option<Objection> {
        let exhausted = self.stop == Some(Stop::Exhausted) && self.all_answered();
        self.too_few().filter(|_| exhausted)
    }

    /// Too few trials of an arm count for a verdict.
    pub(super) fn too_few(&self) -> Option<Objection> {
        let (arm, validity) = self.tally.too_few()?;
        Some(Objection::caps(ObjectionKind::TooFewCount {
            side: arm.to_owned(),
            counted: validity.counted,
            trials: validity.trials,
            share: validity.share,
            can_resume: validity.can_resume,
        }))
    }

    /// What kept an answer from counting.
    fn why_no_answer(&self, candidate: usize) -> Option<NoAnswer> {
        let arm = &self.answers[candidate].arm;
        let mut looks = self.looks.iter().rev().flat_map(|look| &look.arms);
        let last = looks.find(|seen| seen.arm == *arm);
        let held_back = last.and_then(|last| last.verdict.held_back_by().next().cloned());
        let no_result = last.and_then(|last| last.why_none.clone());
        let broken = || {
            let (broken, of) = (self.blocks.broken(), self.blocks.completed());
            let groups = Groups::None;
            (broken as f64 > MOST_BROKEN * of as f64)
                .then(|| Objection::withholds(ObjectionKind::MissingPairs { broken, of, groups }))
        };
        let no_result = no_result.map(|why| NoAnswer::NoResult { why });
        let objection = |by: Objection| NoAnswer::Objection { by };
        self.taken_back()
            .map(objection)
            .or(no_result)
            .or_else(|| held_back.or_else(broken).map(objection))
    }
}

/// The answer of all arms together.
fn together(answers: &[ArmAnswer]) -> Option<Stop> {
    match answers {
        [only] => only.stop,
        _ => Some(Stop::AllDecided),
    }
}
