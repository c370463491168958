//! Submissions of which it is not known whether, or as what, the scheduler has them: they are looked for, and made again
//! only where the scheduler has none and surely took none.

use super::contract::PlaceError;
use super::remote_run::{MOST_BACKOFF, RemoteRun};
use crate::error::EngineError;
use crate::request::{Start, Stay};
use fairtrial_journal::Event;
use std::time::{Duration, Instant};

/// How often a submission is tried in one session, and the first pause between two tries; it doubles each time.
const MOST_TRIES: u32 = 8;
pub(super) const FIRST_PAUSE: Duration = Duration::from_secs(5);

impl RemoteRun<'_> {
    /// Looks for submissions whose answer did not arrive or was not understood, and repeats those that failed.
    pub(super) fn settle_unconfirmed(&mut self) -> Result<(), EngineError> {
        let unconfirmed = |number: &u64| {
            let batch = self.batches.get(number)?;
            let open = batch.unconfirmed.is_some() || batch.unnamed;
            open.then(|| (*number, batch.submitted.key.clone()))
        };
        let found: Vec<(u64, String)> = self.batches.keys().filter_map(unconfirmed).collect();
        for (number, key) in found {
            match self.probed.engine.adopt(&key) {
                Ok(Some(handle)) => self.confirm(number, Some(handle)),
                Ok(None) => self.not_found(number)?,
                Err(error) => self.complain(Err(error)),
            }
        }
        Ok(())
    }

    /// The scheduler does not show a submission.
    fn not_found(&mut self, number: u64) -> Result<(), EngineError> {
        let known = self.batches.get(&number);
        let Some((batch, again_at)) =
            known.and_then(|known| Some((known.unconfirmed.clone()?, known.again_at)))
        else {
            return Ok(());
        };
        let mut chunks = self.chunks.values();
        let began = chunks.any(|chunk| chunk.batch == number && chunk.began());
        // Its jobs ran already and the scheduler has forgotten them, or nobody wants them any more.
        if began || self.cancelled.is_some() || self.withdrawn {
            self.confirm(number, None);
            return Ok(());
        }
        // A stop that was not obeyed yet is obeyed before anything is submitted.
        let stopped = self
            .slots
            .controller
            .lock()
            .dispatch
            .stop_reason()
            .is_some();
        if stopped || self.only_looks() || Instant::now() < again_at {
            return Ok(());
        }
        match self.probed.engine.submit(&batch) {
            Ok(handle) => {
                self.confirm(number, Some(handle));
                Ok(())
            }
            Err(error) => self.not_submitted(number, error),
        }
    }

    /// Whether this is one look at a run, which repeats no submission.
    fn only_looks(&self) -> bool {
        let request = self.slots.request;
        request.stay == Stay::Leave && matches!(request.start, Start::Attend(_))
    }

    /// Goes on after a submission that gave no handle: one that the scheduler took is waited for, one that failed for
    /// now is tried again later, and whatever else it is ends the session.
    pub(super) fn not_submitted(
        &mut self,
        number: u64,
        error: PlaceError,
    ) -> Result<(), EngineError> {
        let Some(batch) = self.batches.get_mut(&number) else {
            return Ok(());
        };
        if let PlaceError::Unnamed { .. } = error {
            batch.unconfirmed = None;
            batch.unnamed = true;
            self.slots.writer.append(&Event::Submitted {
                batch: number,
                handle: None,
                at: (self.slots.request.now)(),
            });
            self.warn(format!(
                "{error}; it is not submitted again, and is known by what its jobs leave in the run's folder"
            ));
            return Ok(());
        }
        batch.failures += 1;
        if !error.is_temporary() || batch.failures >= MOST_TRIES {
            return Err(error.into());
        }
        let pause = FIRST_PAUSE * 2u32.saturating_pow(batch.failures - 1);
        batch.again_at = Instant::now() + pause.min(MOST_BACKOFF);
        self.complain(Err(error));
        Ok(())
    }

    /// The scheduler has a submission.
    pub(super) fn confirm(&mut self, number: u64, handle: Option<String>) {
        let Some(batch) = self.batches.get_mut(&number) else {
            return;
        };
        batch.unconfirmed = None;
        batch.unnamed = false;
        batch.submitted.handle.clone_from(&handle);
        if handle.is_some() {
            self.slots.writer.append(&Event::Submitted {
                batch: number,
                handle,
                at: (self.slots.request.now)(),
            });
        }
    }

    /// Why nothing more can be done about a submission without a name of which no job has begun in time.
    pub(super) fn nameless(&self, number: u64) -> Option<EngineError> {
        let batch = self.batches.get(&number).filter(|batch| batch.unnamed)?;
        let message = format!(
            "jobs `{}` were submitted, their handle is not known, and they have not begun within {} s \
             (`engine.grace`). They are not submitted again. Where they wait in the queue, `fairtrial wait` goes on \
             once they run; with `handle` and `find` corrected in the spec, `fairtrial run SPEC --resume` finds them; \
             `fairtrial cancel` gives them up",
            batch.submitted.key,
            self.options().grace_s,
        );
        let engine = self.probed.engine.name();
        Some(PlaceError::Unnamed { engine, message }.into())
    }
}
