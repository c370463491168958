//! The numbers that evaluations of agents share: a score, tokens, cost and time.

use crate::execution::{Execution, Metric};
use crate::sink::Sink;
use fairtrial_model::Direction;

/// Tokens that a tool counted, as far as it did.
#[derive(Default)]
pub(super) struct Tokens {
    pub(super) total: Option<f64>,
    pub(super) input: Option<f64>,
    pub(super) output: Option<f64>,
    /// Those of the input that a cache had.
    pub(super) cached: Option<f64>,
}

/// Adds numbers to an execution under the names that all formats of agents use.
pub(super) struct Numbers<'a> {
    pub(super) execution: &'a mut Execution,
    pub(super) sink: &'a mut dyn Sink,
}

impl Numbers<'_> {
    /// A number of a metric, which is described where its name comes for the first time.
    fn add(&mut self, name: &str, value: Option<f64>, describe: impl FnOnce(Metric) -> Metric) {
        if let Some(value) = value {
            let known = self.sink.known(name);
            let new = || self.sink.metric(&describe(Metric::named(name)));
            self.execution
                .metrics
                .push((known.unwrap_or_else(new), value));
        }
    }

    /// What the tool is asked for; more is better.
    pub(super) fn score(&mut self, value: Option<f64>) {
        self.add("score", value, |score| {
            score.better(Direction::Up).headline()
        });
    }

    /// A further score, under its own name.
    pub(super) fn named_score(&mut self, name: &str, value: Option<f64>) {
        self.add(name, value, |score| score.better(Direction::Up));
    }

    /// Something else, of which nothing is known.
    pub(super) fn other(&mut self, name: &str, value: Option<f64>) {
        self.add(name, value, |metric| metric);
    }

    pub(super) fn seconds(&mut self, name: &str, value: Option<f64>) {
        self.less_is_better(name, "s", value);
    }

    /// A number in a unit that is used here.
    fn less_is_better(&mut self, name: &str, unit: &str, value: Option<f64>) {
        self.add(name, value, |metric| Metric {
            unit: Some(unit.to_owned()),
            ..metric.better(Direction::Down)
        });
    }

    /// Tokens under the names of our own rollouts, so that these compare. Where a tool gives no total it is the sum.
    pub(super) fn tokens(&mut self, tokens: &Tokens) {
        let sum = || Some(tokens.input? + tokens.output?);
        for (name, value) in [
            ("tokens_total", tokens.total.or_else(sum)),
            ("tokens_input", tokens.input),
            ("tokens_output", tokens.output),
            ("tokens_cached", tokens.cached),
        ] {
            self.less_is_better(name, "tokens", value);
        }
    }

    pub(super) fn cost(&mut self, dollars: Option<f64>) {
        self.less_is_better("cost_usd", "USD", dollars);
    }
}
