//! Why a sequential run ended, in words: for every arm, and for the run.
//!
//! An arm may have its answer long before the run ends for another one, so that the run's reason is not the arm's.

use super::look::Stop;
use super::{ArmAnswer, SequentialRule};
use crate::validity::MOST_BROKEN;

impl SequentialRule {
    /// Why the run ended, with the answers that there are.
    pub(super) fn reason(&self) -> String {
        if self.answers.len() == 1 || self.taken_back().is_some() {
            return self.arm_reason(0);
        }
        let words = |(place, answer): (usize, &ArmAnswer)| match answer.stop {
            Some(_) => answer.words(),
            None => format!("{}: {}", answer.arm, self.arm_reason(place)),
        };
        let each: Vec<String> = self.answers.iter().enumerate().map(words).collect();
        each.join("; ")
    }

    /// Why there is this answer for a candidate, or none.
    pub(super) fn arm_reason(&self, candidate: usize) -> String {
        let ArmAnswer { stop, pairs, .. } = self.answers[candidate];
        let stop = stop.filter(|_| self.taken_back().is_none());
        match stop {
            None | Some(Stop::Exhausted) => {
                let budget = format!("the budget of {} pairs is used up", self.plan.rule.max);
                match self.why_no_answer(candidate) {
                    Some(why) => format!("{budget}: {why}"),
                    None => format!("{budget} without an answer"),
                }
            }
            Some(Stop::Futile) => {
                format!(
                    "undecided after {pairs} pairs, and the rest of the budget would hardly change that"
                )
            }
            Some(stop) => format!("{} after {pairs} pairs", stop.word()),
        }
    }

    /// Why no answer counts, although every arm has one: too few trials do.
    pub(super) fn taken_back(&self) -> Option<String> {
        let exhausted = self.stop == Some(Stop::Exhausted) && self.all_answered();
        self.tally.too_few().filter(|_| exhausted)
    }

    /// What kept an answer from counting.
    fn why_no_answer(&self, candidate: usize) -> Option<String> {
        let arm = &self.answers[candidate].arm;
        let mut looks = self.looks.iter().rev().flat_map(|look| &look.arms);
        let last = looks.find(|seen| seen.arm == *arm);
        let of_look = last.and_then(|last| last.withheld.clone().or_else(|| last.why_none.clone()));
        let broken = || {
            let (broken, all) = (self.blocks.broken(), self.blocks.completed());
            let many = broken as f64 > MOST_BROKEN * all as f64;
            many.then(|| format!("{broken} of {all} pairs have a side missing"))
        };
        self.taken_back().or(of_look).or_else(broken)
    }
}

impl ArmAnswer {
    /// `b improved after 7 pairs`.
    fn words(&self) -> String {
        let word = self.stop.map_or("undecided", Stop::word);
        format!("{} {word} after {} pairs", self.arm, self.pairs)
    }
}
