//! Rows that belong to one process, put together: repetitions of a benchmark stand anywhere in a file.

use crate::execution::{Execution, MetricId, Samples};
use crate::sink::Sink;
use std::collections::HashMap;

/// Iterations that may be missing in a row of them.
const MOST_GAP: usize = 1000;

/// Executions while their rows are read, in the order of their first rows.
#[derive(Default)]
pub(crate) struct Grouped {
    executions: Vec<Open>,
    by_key: HashMap<String, usize>,
}

/// An execution, and how many rows it has.
struct Open {
    execution: Execution,
    rows: usize,
}

/// One row of an execution.
pub(crate) struct GroupedRow<'a> {
    open: &'a mut Open,
}

impl Grouped {
    /// A further row of the execution with this key, which is made where it was not seen before.
    pub(crate) fn row(&mut self, key: &str, make: impl FnOnce() -> Execution) -> GroupedRow<'_> {
        let next = self.executions.len();
        let place = self.by_key.get(key).copied().unwrap_or(next);
        if place == next {
            self.by_key.insert(key.to_owned(), next);
            self.executions.push(Open {
                execution: make(),
                rows: 0,
            });
        }
        let open = &mut self.executions[place];
        open.rows += 1;
        GroupedRow { open }
    }

    /// Gives all of them away; `finish` may change one, or hold it back.
    pub(crate) fn give(self, sink: &mut dyn Sink, finish: impl Fn(&mut Execution) -> bool) {
        for mut open in self.executions {
            if finish(&mut open.execution) {
                sink.execution(open.execution);
            }
        }
    }
}

impl GroupedRow<'_> {
    /// The execution.
    pub(crate) fn execution(&mut self) -> &mut Execution {
        &mut self.open.execution
    }

    /// A number of this row. Rows before it that have none of the metric keep their places.
    pub(crate) fn push(&mut self, metric: MetricId, value: f64) {
        let rows = self.open.rows;
        let values = self.values(metric);
        values.resize(rows - 1, f64::NAN);
        values.push(value);
    }

    /// A number of an iteration of this place. Small gaps before it are kept; a number in a file that is far off must not
    /// decide how much memory is taken.
    pub(crate) fn put(&mut self, metric: MetricId, place: usize, value: f64) {
        let values = self.values(metric);
        if place > values.len() && place - values.len() <= MOST_GAP {
            values.resize(place, f64::NAN);
        }
        values.push(value);
    }

    fn values(&mut self, metric: MetricId) -> &mut Vec<f64> {
        let samples = &mut self.open.execution.samples;
        let known = samples.iter().position(|known| known.metric == metric);
        let known = known.unwrap_or_else(|| {
            samples.push(Samples {
                metric,
                values: Vec::new(),
            });
            samples.len() - 1
        });
        &mut samples[known].values
    }
}
