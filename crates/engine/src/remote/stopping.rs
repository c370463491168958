//! How a run that is with a scheduler is stopped: left alone, taken back, or ended.

use super::controller::{Remote, SOON};
use super::open::OpenChunk;
use crate::EngineError;
use crate::chunk::Revoked;
use crate::events::StopReason;
use std::time::Instant;

impl Remote<'_> {
    /// Does what was asked for; says whether to leave at once.
    pub(super) fn obey(&mut self) -> Result<bool, EngineError> {
        let reason = self.floor.board.lock().dispatch.stop_reason().cloned();
        match reason {
            Some(StopReason::Detach | StopReason::Broken(_)) => return Ok(true),
            Some(StopReason::Cancel) if self.cancelled.is_none() => self.cancel_all()?,
            Some(_) if self.cancelled.is_none() && !self.withdrawn => self.withdraw()?,
            _ => {}
        }
        Ok(false)
    }

    /// The user stopped the run: every job is ended.
    fn cancel_all(&mut self) -> Result<(), EngineError> {
        self.cancelled = Some(Instant::now());
        self.waiting.clear();
        for chunk in self.chunks.values() {
            chunk.dir.revoke(Revoked::Cancelled)?;
        }
        for batch in self.batches.values() {
            if batch.unnamed {
                self.warn(format!(
                    "jobs `{}` cannot be cancelled by a handle that is not known: they leave by themselves when \
                     they begin",
                    batch.submitted.key
                ));
            }
            let ended = self.placed.engine.cancel(&batch.submitted, None);
            self.complain(ended);
        }
        self.ask_at = Instant::now() + SOON;
        Ok(())
    }

    /// The run has its answer or its budget is spent: what was not begun is taken back, what runs may finish. What was
    /// taken back stays open until the scheduler says that it did not begin meanwhile.
    fn withdraw(&mut self) -> Result<(), EngineError> {
        self.withdrawn = true;
        self.forget_waiting();
        for chunk in self.chunks.values_mut() {
            chunk.dir.revoke(Revoked::Withdrawn)?;
            chunk.read_again();
        }
        self.look();
        let now = Instant::now();
        for chunk in self.chunks.values_mut().filter(|chunk| !chunk.began()) {
            chunk.recalled = Some(now);
        }
        let recalled = |chunk: &&OpenChunk| chunk.recalled.is_some();
        for chunk in self.chunks.values().filter(recalled) {
            self.end_job(chunk);
        }
        self.ask_at = Instant::now();
        Ok(())
    }

    /// What was packed and never submitted was not begun.
    fn forget_waiting(&mut self) {
        let mut state = self.floor.board.lock();
        for given in self.waiting.drain(..).flat_map(|load| load.trials) {
            state.dispatch.give_back(given.index, Instant::now());
        }
    }
}
