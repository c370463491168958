//! Who takes what a reader finds. Readers give things away one at a time and keep nothing, so that a file of any size
//! takes the memory of its largest record.

use crate::execution::{Execution, Fact, Metric, MetricId};

/// Takes executions. Points of a series come before the execution that they belong to.
pub trait Sink {
    /// Gives the number of a metric by its name; of a name that comes again, what was said first holds.
    fn metric(&mut self, metric: &Metric) -> MetricId;

    /// The number of a metric whose name came before.
    fn known(&self, name: &str) -> Option<MetricId>;

    /// A point of a series of the execution to come.
    fn point(&mut self, metric: MetricId, step: f64, value: f64);

    /// An execution, whole.
    fn execution(&mut self, execution: Execution);

    /// Something about how a file was made.
    fn fact(&mut self, fact: Fact);

    /// Something that a user must know about a file.
    fn note(&mut self, note: String);
}
