//! What earlier sessions and other controllers of the run leave to this one.

use super::retry::allowed;
use super::{Dispatch, Status};
use fairtrial_journal::RunState;
use fairtrial_model::{Outcome, Record};

impl Dispatch {
    /// Counts what earlier sessions started and spent: a cap is one of the whole run, however often it is resumed.
    /// `never_begun` attempts were given out and taken back before they began.
    pub(crate) fn go_on_spending<E>(
        &mut self,
        known: &RunState,
        records: impl Iterator<Item = Result<Record, E>>,
        never_begun: u64,
    ) -> Result<(), E> {
        let started: u64 = known
            .trials()
            .map(|(_, trial)| u64::from(trial.started))
            .sum();
        self.budget.started = started.saturating_sub(never_begun);
        for record in records {
            self.spend(&record?);
        }
        Ok(())
    }

    /// Goes on for a controller that left: its retries count, and what it ended without an answer has ended. `idle` says
    /// how often in a row a trial that saves its state was interrupted before it saved anything.
    pub(crate) fn attend(&mut self, known: &RunState, idle: impl Fn(u64) -> u32) {
        for (index, trial) in known.trials() {
            let place = index as usize;
            let open = self.status.get(place) == Some(&Status::Pending) && !trial.is_in_flight();
            let (true, 1.., Some(outcome)) = (open, trial.unanswered, trial.outcome) else {
                continue;
            };
            let task = self.plan.task(index);
            let allowed = task.map_or(0, |task| allowed(&task.retries, outcome));
            let saves = task.is_some_and(|task| task.checkpoint.is_some());
            if saves && outcome == Outcome::Infra {
                let idle = idle(index);
                self.idle.insert(index, idle);
                if idle <= allowed {
                    continue;
                }
            }
            if u32::from(trial.unanswered) <= allowed {
                self.retried.insert(index, trial.unanswered.into());
            } else if !outcome.is_final() {
                self.status[place] = Status::Ended(outcome);
                self.counts.add(outcome);
                self.left -= 1;
            }
        }
    }

    /// The newest attempt of a trial is in the hands of a scheduler since an earlier session.
    pub(crate) fn adopt(&mut self, index: u64) {
        let place = index as usize;
        if self.status.get(place) == Some(&Status::Pending) {
            self.status[place] = Status::Open;
            self.running += 1;
            self.left -= 1;
        }
    }
}
