//! A bench that is a step of something larger.

use super::rule::BenchRule;
use fairtrial_engine::{OtherCode, StopRule};
use fairtrial_journal::RunDir;
use fairtrial_model::Record;

/// What makes a bench a step of something larger.
pub(crate) struct BenchStep {
    /// The name of the benchmark that its run is one of.
    pub(crate) name: &'static str,
    /// What ends it.
    pub(crate) rule: Box<dyn StopRule>,
}

/// What ends a bench: its own rule, and that of the step that it is.
pub(super) fn rule_of(own: BenchRule, step: Option<BenchStep>) -> Box<dyn StopRule> {
    match step {
        None => Box::new(own),
        Some(step) => Box::new(Both(own, step.rule)),
    }
}

/// Ends a run when the first of two rules does; both see every record.
struct Both(BenchRule, Box<dyn StopRule>);

impl StopRule for Both {
    fn begins(&mut self, run: &RunDir, other: OtherCode) {
        self.1.begins(run, other);
    }

    fn settled(&mut self, record: &Record) -> Option<String> {
        let (own, step) = (self.0.settled(record), self.1.settled(record));
        own.or(step)
    }
}
