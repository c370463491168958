//! Which trial runs next: order, needs, retries, budgets, stopping. No process, no file, no clock of its own.
//!
//! A record counts only when it is durable: until then its trial neither unlocks others nor shows as done, though its
//! slot may already run the next trial.

mod again;
mod earlier;
mod retry;
mod spending;
mod uncounted;

use crate::capacity::Capacity;
use crate::events::StopReason;
use fairtrial_journal::{OutcomeCounts, RunState, RunStatus};
use fairtrial_model::{Outcome, Record};
use fairtrial_plan::Plan;
use retry::retry_is_due;
use spending::Spending;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// First wait before a trial that the machine failed is tried again; it doubles each time.
const RETRY_WAIT: Duration = Duration::from_millis(200);

/// What a free slot shall do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Run this trial.
    Run {
        /// The trial.
        index: u64,
        /// Which attempt.
        attempt: u32,
    },
    /// This trial cannot run because a task that it needs did not succeed; record that, then ask again.
    Skip {
        /// The trial.
        index: u64,
        /// Which attempt.
        attempt: u32,
        /// The task.
        needs: String,
    },
    /// Nothing to do now; ask again when something ended, or at this time.
    Wait(Option<Instant>),
    /// Nothing left to do.
    Done,
}

/// Where a trial stands in this session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Pending,
    /// Running, or recorded and not yet durable, or waiting for another attempt.
    Open,
    Ended(Outcome),
}

/// The state of a run in this session.
pub(crate) struct Dispatch {
    plan: Arc<Plan>,
    status: Vec<Status>,
    attempts: Vec<u32>,
    /// Next place in the order that has not been looked at.
    cursor: u64,
    /// Trials that were looked at and wait for another, by that one: each is looked at again when it ends, not before.
    waiting: HashMap<u64, Vec<u64>>,
    /// Trials whose wait is over, in the order of the plan.
    woken: BTreeSet<u64>,
    /// A trial whose turn it is and for which this machine has no room yet.
    blocked: Option<u64>,
    /// What this machine lends; absent where a scheduler counts.
    room: Option<Capacity>,
    /// Trials that are neither started nor ended.
    left: u64,
    /// Trials to try again, and from when.
    retries: Vec<(u64, Instant)>,
    /// How often each retried trial was retried: in this session, or after a failure of its own also before.
    retried: HashMap<u64, u32>,
    /// How often in a row a trial that saves its state was interrupted before it saved anything.
    idle: HashMap<u64, u32>,
    running: usize,
    unsettled: usize,
    counts: OutcomeCounts,
    stop: Option<StopReason>,
    /// Nothing is started for now.
    paused: bool,
    budget: Spending,
    ran: u64,
}

impl Dispatch {
    /// The state of a run at its start; `known` is what an earlier session left.
    pub(crate) fn new(plan: Arc<Plan>, known: &RunState, began: Instant) -> Self {
        let len = plan.len() as usize;
        let mut status = vec![Status::Pending; len];
        let mut attempts = vec![0; len];
        let mut counts = OutcomeCounts::default();
        let mut retried = HashMap::new();
        for (index, trial) in known.trials() {
            let Some(place) = status.get_mut(index as usize) else {
                continue;
            };
            attempts[index as usize] = trial.next_attempt() - 1;
            if retry_is_due(&plan, index, trial) {
                retried.insert(index, trial.arm_failures.into());
            } else if let (true, Some(outcome)) = (trial.is_done(), trial.outcome) {
                *place = Status::Ended(outcome);
                counts.add(outcome);
            }
        }
        let limits = plan.spec().budget.clone();
        let left = status
            .iter()
            .filter(|status| **status == Status::Pending)
            .count() as u64;
        Self {
            plan,
            status,
            attempts,
            cursor: 0,
            waiting: HashMap::new(),
            woken: BTreeSet::new(),
            blocked: None,
            room: None,
            left,
            retries: Vec::new(),
            retried,
            idle: HashMap::new(),
            running: 0,
            unsettled: 0,
            counts,
            stop: None,
            paused: false,
            budget: Spending::new(limits, began),
            ran: 0,
        }
    }

    fn spend(&mut self, record: &Record) {
        let task = self.plan.task(record.trial.index);
        self.budget.spend(record, task);
    }

    /// That a cap does not hold, once.
    pub(crate) fn take_uncounted(&mut self) -> Option<String> {
        self.budget.take_uncounted()
    }

    /// Starts no more trials at the same time than this machine has room for.
    pub(crate) fn with_room(mut self, room: Capacity) -> Self {
        self.room = Some(room);
        self
    }

    /// The GPUs that a running trial has, where this machine lends some.
    pub(crate) fn devices(&self, index: u64) -> Option<String> {
        self.room.as_ref()?.devices(index)
    }

    pub(crate) fn counts(&self) -> OutcomeCounts {
        self.counts
    }

    pub(crate) fn ran(&self) -> u64 {
        self.ran
    }

    pub(crate) fn stop_reason(&self) -> Option<&StopReason> {
        self.stop.as_ref()
    }

    /// What the run's end shall be called.
    pub(crate) fn status(&self) -> RunStatus {
        match &self.stop {
            // The trials that a decided run leaves out are not owed to anybody.
            None | Some(StopReason::Decided(_)) => RunStatus::Finished,
            // A drain that found nothing left to leave out is a run that finished.
            Some(StopReason::Drain | StopReason::Detach | StopReason::Unsubmitted)
                if self.all_ended() =>
            {
                RunStatus::Finished
            }
            Some(StopReason::Detach) => RunStatus::Detached,
            Some(StopReason::Drain | StopReason::Unsubmitted | StopReason::Cancel) => {
                RunStatus::Cancelled
            }
            Some(StopReason::Budget(_)) => RunStatus::Budget,
            Some(StopReason::Broken(_)) => RunStatus::Error,
        }
    }

    fn all_ended(&self) -> bool {
        self.status
            .iter()
            .all(|status| matches!(status, Status::Ended(_)))
    }

    /// Starts no more trials. A stronger reason replaces a weaker one; says whether anything changed.
    pub(crate) fn stop(&mut self, reason: StopReason) -> bool {
        let strength = |reason: &StopReason| match reason {
            StopReason::Budget(_) | StopReason::Decided(_) => 0,
            StopReason::Drain | StopReason::Detach | StopReason::Unsubmitted => 1,
            StopReason::Cancel => 2,
            StopReason::Broken(_) => 3,
        };
        if self
            .stop
            .as_ref()
            .is_some_and(|known| strength(known) >= strength(&reason))
        {
            return false;
        }
        self.stop = Some(reason);
        true
    }

    /// Starts nothing for now, or goes on; says whether that is new.
    pub(crate) fn pause(&mut self, paused: bool) -> bool {
        std::mem::replace(&mut self.paused, paused) != paused
    }

    /// What a free slot shall do now.
    pub(crate) fn next(&mut self, now: Instant) -> Next {
        self.check_budget(now);
        if self.stop.is_some() {
            return Next::Done;
        }
        if self.left > 0 && self.paused {
            return Next::Wait(None);
        }
        if self.left > 0 && self.budget.is_given_out() {
            // What comes back unbegun may be given out again.
            return Next::Wait(None);
        }
        if let Some(index) = self.blocked.take() {
            return self.begin(index);
        }
        if let Some(place) = self.retries.iter().position(|(_, at)| *at <= now) {
            let (index, _) = self.retries.remove(place);
            return self.begin(index);
        }
        if let Some(next) = self.look_at_waiting() {
            return next;
        }
        while self.cursor < self.plan.len() {
            let index = self.cursor;
            self.cursor += 1;
            if self.status[index as usize] != Status::Pending {
                continue;
            }
            if let Some(next) = self.consider(index) {
                return next;
            }
        }
        let retry_at = self.retries.iter().map(|(_, at)| *at).min();
        let open = self.running > 0 || self.unsettled > 0 || retry_at.is_some();
        if open {
            Next::Wait(retry_at)
        } else {
            Next::Done
        }
    }

    fn look_at_waiting(&mut self) -> Option<Next> {
        while let Some(index) = self.woken.pop_first() {
            if let Some(next) = self.consider(index) {
                return Some(next);
            }
        }
        None
    }

    /// Starts a trial whose needs are met, skips one whose needs cannot be met, else puts it by.
    fn consider(&mut self, index: u64) -> Option<Next> {
        for needed in self.plan.needs(index) {
            match self.status[needed as usize] {
                Status::Ended(Outcome::Ok) => {}
                Status::Ended(_) => {
                    let task = self.plan.task(needed);
                    let task = task.map(|task| task.id.clone()).unwrap_or_default();
                    let attempt = self.take_attempt(index);
                    return Some(Next::Skip {
                        index,
                        attempt,
                        needs: task,
                    });
                }
                _ => {
                    self.waiting.entry(needed).or_default().push(index);
                    return None;
                }
            }
        }
        Some(self.begin(index))
    }

    fn will_retry(&self, index: u64) -> bool {
        self.blocked == Some(index) || self.retries.iter().any(|(known, _)| *known == index)
    }

    /// Starts a trial, or keeps its place in the queue until there is room.
    fn begin(&mut self, index: u64) -> Next {
        if let (Some(room), Some(task)) = (&mut self.room, self.plan.task(index))
            && !room.take(index, &task.resources)
        {
            self.blocked = Some(index);
            return Next::Wait(None);
        }
        self.budget.begin();
        let attempt = self.take_attempt(index);
        Next::Run { index, attempt }
    }

    fn take_attempt(&mut self, index: u64) -> u32 {
        self.running += 1;
        self.left -= 1;
        let place = index as usize;
        self.status[place] = Status::Open;
        self.attempts[place] += 1;
        self.attempts[place]
    }

    /// The attempt's directory was taken: the next number, still running.
    pub(crate) fn renumber(&mut self, index: u64) -> u32 {
        self.attempts[index as usize] += 1;
        self.attempts[index as usize]
    }

    /// An attempt that was given out and never begun: the trial is given out again, under the next number.
    pub(crate) fn give_back(&mut self, index: u64, now: Instant) {
        self.running -= 1;
        self.left += 1;
        self.budget.take_back();
        self.retries.push((index, now));
    }

    /// An attempt that waited behind a long one on this machine: the trial is given out again, under the same number.
    pub(crate) fn put_back(&mut self, index: u64, now: Instant) {
        self.attempts[index as usize] -= 1;
        if let Some(room) = &mut self.room {
            room.give_back(index);
        }
        self.give_back(index, now);
    }

    /// An attempt ended and its record was handed to the journal. Says whether another attempt follows.
    pub(crate) fn recorded(&mut self, record: &Record, now: Instant) -> bool {
        self.running -= 1;
        self.unsettled += 1;
        let index = record.trial.index;
        if let Some(room) = &mut self.room {
            room.give_back(index);
        }
        self.spend(record);
        let idle = self.count_idle(record);
        let again = self.shall_retry(record);
        if again {
            let before = match idle {
                Some(idle) => idle,
                None => self.count_retry(index),
            };
            let wait = RETRY_WAIT * 2u32.saturating_pow(before.min(6));
            let at = if record.outcome == Outcome::Infra {
                now + wait
            } else {
                now
            };
            self.retries.push((index, at));
            self.left += 1;
        }
        again
    }

    /// A record is durable: its trial has its answer, unless another attempt follows or has begun.
    pub(crate) fn settled(&mut self, index: u64, attempt: u32, outcome: Outcome) {
        self.unsettled -= 1;
        let place = index as usize;
        if self.attempts[place] != attempt || self.will_retry(index) {
            return;
        }
        self.status[place] = Status::Ended(outcome);
        let waited = self.waiting.remove(&index).unwrap_or_default();
        self.woken.extend(waited);
        self.counts.add(outcome);
        self.ran += 1;
    }

    fn check_budget(&mut self, now: Instant) {
        let idle = self.running == 0 && self.unsettled == 0;
        // A run that has nothing left to start is finished, not stopped.
        if let Some(cap) = self.budget.spent_cap(now, idle)
            && self.left > 0
        {
            self.stop(StopReason::Budget(cap));
        }
    }
}

#[cfg(test)]
mod tests;
