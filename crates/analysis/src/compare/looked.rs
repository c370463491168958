//! Runs that stopped by looking: an interval that looks once is too narrow for the metric by which they stopped.

use super::{Beside, Comparison};
use crate::dataset::FactKind;

const WHY: &str = "the run stopped by looking at it, and an interval that looks once does not hold then; the run's own answer does (`fairtrial report`)";

impl Comparison {
    /// Takes back what is said about the metric by which the run stopped.
    pub(super) fn withhold_looked_at(&mut self, metric: &str) {
        for contrast in &mut self.contrasts {
            let of = contrast.metrics.iter_mut();
            for found in of.filter(|found| found.metric == metric) {
                found.verdict.withhold(WHY);
                found.effect = None;
                found.beside = Beside::default();
                found.family.adjusted_p = None;
            }
            contrast.tasks.retain(|line| line.metric != metric);
        }
        // The block in which it stopped need not be complete.
        self.mismatches
            .retain(|found| found.kind != FactKind::Seeds);
        self.rankings.retain(|ranking| ranking.metric != metric);
    }

    /// What stands beside the answer of a run that stopped by looking: failures, fairness, and every other metric.
    #[must_use]
    pub fn beside_the_looks(mut self, metric: &str) -> Self {
        for contrast in &mut self.contrasts {
            contrast.metrics.retain(|found| found.metric != metric);
        }
        self
    }
}
