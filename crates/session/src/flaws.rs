//! What is wrong with the evidence behind numbers, told where the answer itself has no place for it.

use crate::session::Session;
use fairtrial_analysis::curves::History;
use fairtrial_journal::{RunDir, RunState};
use std::collections::BTreeSet;

impl Session {
    /// Damaged, missing and unfinished lines of a run's journal.
    pub(crate) fn tell_journal(&self, run: &RunDir, state: &RunState) {
        let label = format!("{} {}", run.name(), run.stamp());
        self.tell_problems(&label, state.problem_sentences());
    }

    /// What `compare` would say about a run before its numbers.
    pub(crate) fn tell_problems(&self, label: &str, problems: impl IntoIterator<Item = String>) {
        for problem in problems {
            if problem.contains(label) {
                self.warn(problem);
            } else {
                self.warn(format!("{label}: {problem}"));
            }
        }
    }

    /// The same for each run that curves are of.
    pub fn tell_problems_of_curves(&self, curves: &[History]) {
        let behind = curves.iter().filter_map(|curve| curve.run.as_deref());
        let mut told = BTreeSet::new();
        for run in behind {
            if told.insert(&run.label) {
                self.tell_problems(&run.label, run.problems.iter().cloned());
            }
        }
    }
}
