//! When a bench ends besides having its answer: a command failed, the time is up, or one command's mean is known.

use fairtrial_analysis::bench::{BenchEnd, Precision};
use fairtrial_engine::StopRule;
use fairtrial_model::{Outcome, Record, UtcTime};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is waited for.
#[derive(Debug, Clone)]
pub(super) struct Waits {
    /// The metric.
    pub(super) metric: &'static str,
    /// How long; none for as long as it takes.
    pub(super) limit: Option<Duration>,
    /// Records before the time may be up.
    pub(super) least: u64,
    /// Of one command alone: how well its mean must be known.
    pub(super) precision: Option<Precision>,
}

/// The rule at work; clones share one state.
#[derive(Debug, Clone)]
pub(super) struct BenchRule(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    waits: Waits,
    /// When the first run began, and the last one ended.
    span: Option<(UtcTime, UtcTime)>,
    seen: u64,
    end: Option<BenchEnd>,
    /// The record of the run that failed.
    failed: Option<Record>,
}

impl BenchRule {
    pub(super) fn new(waits: Waits) -> Self {
        Self(Arc::new(Mutex::new(State {
            waits,
            span: None,
            seen: 0,
            end: None,
            failed: None,
        })))
    }

    /// Why it ended the run, where it did.
    pub(super) fn end(&self) -> Option<BenchEnd> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).end
    }

    /// How long the measured runs took, from the first to the last.
    pub(super) fn took(&self) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).took()
    }

    /// The record of the run that failed, where one did.
    pub(super) fn failed(&self) -> Option<Record> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed.clone()
    }
}

impl State {
    fn take(&mut self, record: &Record) -> Option<BenchEnd> {
        self.seen += 1;
        let ended = record.ended_at;
        let began = record.started_at.unwrap_or(ended);
        let (first, last) = self.span.unwrap_or((began, ended));
        self.span = Some((first.min(began), last.max(ended)));
        if !matches!(record.outcome, Outcome::Ok | Outcome::Cancelled) {
            self.failed.get_or_insert_with(|| record.clone());
            return Some(BenchEnd::Failed);
        }
        let enough = self.seen >= self.waits.least;
        let value = record.metrics.get(self.waits.metric);
        if let (Some(precision), Some(value)) = (&mut self.waits.precision, value)
            && precision.take(value.0)
            && enough
        {
            return Some(BenchEnd::Precise);
        }
        let late = self.waits.limit.is_some_and(|limit| self.took() >= limit);
        (enough && late).then_some(BenchEnd::TimeLimit)
    }
}

impl State {
    fn took(&self) -> Duration {
        let micros = self
            .span
            .map_or(0, |(first, last)| last.as_micros() - first.as_micros());
        Duration::from_micros(micros.unsigned_abs())
    }
}

impl StopRule for BenchRule {
    fn settled(&mut self, record: &Record) -> Option<String> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let end = state.take(record)?;
        state.end.get_or_insert(end);
        let why = match end {
            BenchEnd::Failed => "a command failed",
            BenchEnd::TimeLimit => "the time limit is reached",
            BenchEnd::Precise => "the mean is known well enough",
            BenchEnd::Interrupted => "interrupted",
        };
        Some(why.to_owned())
    }
}
