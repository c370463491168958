//! What a run has spent of its caps.

use super::uncounted::uncounted;
use crate::events::Cap;
use fairtrial_model::{Checkpoint, Outcome, Record};
use fairtrial_spec::{Budget, MetricBudget, Task};
use std::time::Instant;

/// The caps of a run, and what counts against them.
pub(super) struct Spending {
    limits: Budget,
    /// Attempts that count as started.
    pub(super) started: u64,
    cost: f64,
    tokens: f64,
    began: Instant,
    uncounted: Uncounted,
}

/// Whether an attempt was met that a cap cannot count.
enum Uncounted {
    None,
    Found(String),
    Told,
}

impl Spending {
    pub(super) fn new(limits: Budget, began: Instant) -> Self {
        Self {
            limits,
            started: 0,
            cost: 0.0,
            tokens: 0.0,
            began,
            uncounted: Uncounted::None,
        }
    }

    /// An attempt is given out.
    pub(super) fn begin(&mut self) {
        self.started += 1;
    }

    /// An attempt that was given out never began, or is one of the parts of a trial.
    pub(super) fn take_back(&mut self) {
        self.started = self.started.saturating_sub(1);
    }

    /// Counts what an attempt says that it spent.
    pub(super) fn spend(&mut self, record: &Record, task: Option<&Task>) {
        // What another run paid for costs this one nothing.
        if record.reused_from.is_none() {
            self.cost += spent(record, self.limits.cost.as_ref());
            self.tokens += spent(record, self.limits.tokens.as_ref());
        }
        // It goes on from what it saved: a trial in parts began once.
        let saved = record.checkpoint.as_ref().is_some_and(Checkpoint::saved);
        if saved && (record.is_interrupted() || record.outcome == Outcome::Cancelled) {
            self.take_back();
        }
        if matches!(self.uncounted, Uncounted::None)
            && let Some(text) = uncounted(record, &self.limits, task)
        {
            self.uncounted = Uncounted::Found(text);
        }
    }

    /// That a cap does not hold, once.
    pub(super) fn take_uncounted(&mut self) -> Option<String> {
        let Uncounted::Found(_) = self.uncounted else {
            return None;
        };
        match std::mem::replace(&mut self.uncounted, Uncounted::Told) {
            Uncounted::Found(text) => Some(text),
            Uncounted::None | Uncounted::Told => None,
        }
    }

    /// Whether as many attempts are given out as the cap on trials allows.
    pub(super) fn is_given_out(&self) -> bool {
        let cap = self.limits.trials;
        cap.is_some_and(|limit| self.started >= limit)
    }

    /// The cap that is reached; `idle` says whether everything that was given out has its answer.
    pub(super) fn spent_cap(&self, now: Instant, idle: bool) -> Option<Cap> {
        let Budget {
            wall_s,
            cost,
            tokens,
            ..
        } = &self.limits;
        let is_spent =
            |limit: &Option<MetricBudget>, sum| limit.as_ref().is_some_and(|cap| sum >= cap.max);
        let took_s = now.duration_since(self.began).as_secs_f64();
        if wall_s.is_some_and(|limit| took_s >= limit) {
            Some(Cap::Time)
        } else if idle && self.is_given_out() {
            // Not before the last of them has its answer: the cap is on what is begun, and takes nothing back.
            Some(Cap::Trials)
        } else if is_spent(cost, self.cost) {
            Some(Cap::Cost)
        } else if is_spent(tokens, self.tokens) {
            Some(Cap::Tokens)
        } else {
            None
        }
    }
}

/// What judges spend stands apart from what agents do.
const JUDGES: [(&str, &str); 2] = [
    ("cost_usd", "judge_cost_usd"),
    ("tokens_total", "judge_tokens"),
];

/// What an attempt adds to a sum that has a cap.
fn spent(record: &Record, cap: Option<&MetricBudget>) -> f64 {
    let Some(cap) = cap else {
        return 0.0;
    };
    let judges = JUDGES.iter().find(|(own, _)| *own == cap.metric);
    let names = [Some(cap.metric.as_str()), judges.map(|(_, judges)| *judges)];
    let numbers = names
        .into_iter()
        .flatten()
        .filter_map(|name| record.metrics.get(name));
    numbers
        .map(|number| number.0)
        .filter(|number| number.is_finite())
        .sum()
}
