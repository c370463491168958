//! How often each side failed, compared as what it is: pass or fail.

use crate::compare::data::trials::{TrialOfSide, TrialsOfBoth};
use crate::dataset::Repeat;
use fairtrial_model::Outcome;
use fairtrial_stats::Side;
use fairtrial_stats::binary::{McNemarMethod, PairedCounts, barnard, fisher, mcnemar};
use fairtrial_stats::one_arm::Proportion;
use serde::Serialize;
use std::collections::BTreeMap;

/// Trials of a side up to which Barnard's test is worth its time; with more, the others find such a difference too.
const BARNARD_TRIALS: u64 = 20;

/// Failures of one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FailureCount {
    /// Trials that ended failed, timeout or oom.
    pub failed: u64,
    /// Trials that count: those, and the ones that ended ok.
    pub trials: u64,
    /// Trials that ended infra, cancelled or skipped: charged to nobody.
    pub excused: u64,
}

/// Failures of both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failures {
    /// The control's.
    pub control: FailureCount,
    /// The candidate's.
    pub candidate: FailureCount,
    /// The p value of "both fail alike"; absent where nothing failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// The test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<&'static str>,
}

/// Counts and compares the failures of both sides.
pub(crate) fn count(mut rows: TrialsOfBoth) -> Failures {
    if rows.repeat == Repeat::Iteration {
        rows.control = processes(&rows.control);
        rows.candidate = processes(&rows.candidate);
    }
    let (control, candidate) = (of_side(&rows.control), of_side(&rows.candidate));
    let any = control.failed + candidate.failed > 0;
    let test = any
        .then(|| {
            all_or_none(control, candidate)
                .or_else(|| paired(&rows))
                .or_else(|| unpaired(control, candidate))
        })
        .flatten();
    Failures {
        control,
        candidate,
        p: test.map(|(p, _)| p),
        method: test.map(|(_, method)| method),
    }
}

impl FailureCount {
    /// Counts a trial in.
    pub(crate) fn add(&mut self, outcome: Outcome) {
        if outcome.is_final() {
            self.trials += 1;
            self.failed += u64::from(outcome.is_arm_failure());
        } else {
            self.excused += 1;
        }
    }

    fn share(self) -> Proportion {
        Proportion {
            successes: self.failed,
            trials: self.trials,
        }
    }

    /// Whether there are trials that count, and each of them failed.
    pub fn is_all(&self) -> bool {
        self.trials > 0 && self.failed == self.trials
    }
}

/// The processes behind iterations: one that lost some of them failed, once.
fn processes(iterations: &[TrialOfSide]) -> Vec<TrialOfSide> {
    let mut processes: BTreeMap<(u32, u64), TrialOfSide> = BTreeMap::new();
    for row in iterations {
        let process = processes.entry((row.task, row.seed)).or_insert(*row);
        process.rollout = 0;
        if row.outcome.is_arm_failure() {
            process.outcome = row.outcome;
        }
    }
    processes.into_values().collect()
}

fn of_side(rows: &[TrialOfSide]) -> FailureCount {
    let mut count = FailureCount::default();
    for row in rows {
        count.add(row.outcome);
    }
    count
}

/// Every trial of one side fails and none of the other: Barnard's exact test. The tests below condition on how many fail
/// in all, and cannot tell five of five from none of five. For pairs it holds where both sides of a pair are no less
/// alike than strangers.
fn all_or_none(control: FailureCount, candidate: FailureCount) -> Option<(f64, &'static str)> {
    let separated = |all: FailureCount, none: FailureCount| all.is_all() && none.failed == 0;
    let few = control.trials.max(candidate.trials) <= BARNARD_TRIALS;
    if !few || !separated(control, candidate) && !separated(candidate, control) {
        return None;
    }
    let test = barnard(control.share(), candidate.share(), Side::TwoSided).ok()?;
    Some((test.p, test.method))
}

/// McNemar's exact test, where every trial has its partner.
fn paired(rows: &TrialsOfBoth) -> Option<(f64, &'static str)> {
    let outcomes = |rows: &[TrialOfSide]| -> BTreeMap<(u32, u64, u32), bool> {
        let counted = rows.iter().filter(|row| row.outcome.is_final());
        counted
            .map(|row| {
                (
                    (row.task, row.seed, row.rollout),
                    row.outcome.is_arm_failure(),
                )
            })
            .collect()
    };
    let (control, candidate) = (outcomes(&rows.control), outcomes(&rows.candidate));
    let both: Vec<(bool, bool)> = control
        .iter()
        .filter_map(|(key, failed)| Some((*failed, *candidate.get(key)?)))
        .collect();
    if both.len() < control.len().max(candidate.len()) || both.is_empty() {
        return None;
    }
    let test = mcnemar(
        PairedCounts::from_pairs(both),
        McNemarMethod::Exact,
        Side::TwoSided,
    )
    .ok()?;
    Some((test.p, test.method))
}

fn unpaired(control: FailureCount, candidate: FailureCount) -> Option<(f64, &'static str)> {
    let test = fisher(control.share(), candidate.share(), Side::TwoSided).ok()?;
    Some((test.p, test.method))
}
