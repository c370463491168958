//! What one side of a unit comes to: the values that count, and what is missing.

use crate::compare::data::trials::TrialOfSide;
use fairtrial_model::Outcome;

/// What was counted on one side of one unit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Tally {
    sum: f64,
    pub(crate) n: u32,
    /// Trials without a usable value that are charged to the arm.
    pub(crate) charged: u32,
    /// Those of them that failed; the others ended well.
    failed: u32,
    /// Trials without a value that are nobody's fault (infra, cancelled, skipped).
    pub(crate) excused: u32,
    ending: Option<Outcome>,
}

impl Tally {
    /// Whether there is a value that counts.
    pub(crate) fn has_value(&self) -> bool {
        self.n > 0
    }

    /// Whether a trial failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed > 0
    }

    /// Counts a trial.
    pub(crate) fn add(&mut self, row: &TrialOfSide, value: impl Fn(f64) -> f64) {
        match row.value.filter(|x| x.is_finite()) {
            Some(x) => {
                self.sum += value(x);
                self.n += 1;
            }
            None if row.outcome == Outcome::Ok || row.outcome.is_arm_failure() => {
                self.charged += 1;
                self.failed += u32::from(row.outcome.is_arm_failure());
                self.ending = Some(row.outcome);
            }
            None => {
                self.excused += 1;
                self.ending = Some(row.outcome);
            }
        }
    }

    /// The mean of the values.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum / f64::from(self.n))
    }

    /// The mean if every charged trial had had this value.
    pub(crate) fn filled(&self, value: f64) -> Option<f64> {
        let n = self.n + self.charged;
        (n > 0).then(|| (self.sum + value * f64::from(self.charged)) / f64::from(n))
    }

    /// Why there is none.
    pub(crate) fn why_missing(&self) -> String {
        match self.ending {
            None => "no trial".to_owned(),
            Some(Outcome::Ok) => "no finite value".to_owned(),
            Some(outcome) => outcome.to_string(),
        }
    }
}
