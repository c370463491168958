//! Submissions of which it is not known whether, or as what, the scheduler has them: they are looked for, and made again
//! only where the scheduler has none and surely took none.

use super::contract::{Adopted, Batch, PlaceError, Submitted};
use super::health::MOST_ABSENCES;
use super::remote_run::{MOST_BACKOFF, RemoteRun};
use crate::error::EngineError;
use crate::request::{Start, Stay};
use fairtrial_journal::{Durability, Event, JournalError, is_there, write_atomic_bytes};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often a submission is tried in one session, and the first pause between two tries; it doubles each time.
const MOST_TRIES: u32 = 8;
pub(super) const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// How soon at the earliest a submission is made again that was cut off: the scheduler may still be at work on it.
pub(super) const LATE_PAUSE: Duration = Duration::from_secs(30);
/// Ending of the file that says that the last try of a submission was refused.
const REFUSED: &str = "refused";

/// Whether the scheduler surely refused the last try of a submission, so that it can be made again without asking.
pub(super) fn was_refused(submitted: &Submitted) -> Result<bool, JournalError> {
    is_there(
        &submitted
            .folder
            .join(format!("{}.{REFUSED}", submitted.key)),
    )
}

/// Forgets that a try was refused, before the next one: a machine that loses its power in the middle of that one must
/// not show it later.
fn forget_refusal(batch: &Batch) -> Result<(), JournalError> {
    let path = batch.file(REFUSED);
    match fs::remove_file(&path) {
        Ok(()) => {
            let folder = fs::File::open(&batch.folder).and_then(|folder| folder.sync_all());
            folder.map_err(|error| refused_by_system("sync", &batch.folder, error))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(refused_by_system("remove", &path, error)),
    }
}

fn refused_by_system(action: &'static str, path: &Path, source: std::io::Error) -> JournalError {
    JournalError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

impl RemoteRun<'_> {
    /// Takes what the scheduler says of submissions whose answer did not arrive or was not understood, and repeats those
    /// that it surely did not take.
    pub(super) fn settle_unconfirmed(
        &mut self,
        found: Vec<(u64, Result<Adopted, PlaceError>)>,
    ) -> Result<(), EngineError> {
        for (number, adopted) in found {
            if let (Ok(_), Some(batch)) = (&adopted, self.batches.get_mut(&number)) {
                (batch.refusals, batch.refusal) = (0, None);
            }
            match adopted {
                Ok(Adopted::Handle(handle)) => self.confirm(number, Some(handle)),
                Ok(Adopted::NotThere) => self.not_found(number)?,
                Ok(Adopted::CannotAsk) => self.cannot_ask(number)?,
                Err(error) => self.could_not_ask(number, &error),
            }
        }
        Ok(())
    }

    /// The scheduler could not be asked for a submission: that says nothing of it, and is told once.
    fn could_not_ask(&mut self, number: u64, error: &PlaceError) {
        let Some(batch) = self.batches.get_mut(&number) else {
            return;
        };
        batch.refusals = batch.refusals.saturating_add(1);
        let text = Some(error.to_string());
        if batch.refusal != text {
            batch.refusal = text;
            self.warn(format!("{error}; asking again later"));
        }
    }

    /// Submits a batch, with a note beside the chunks where it was surely refused: whoever comes later submits it again
    /// without fear to double it.
    pub(super) fn hand_over(&self, batch: &Batch) -> Result<String, PlaceError> {
        forget_refusal(batch)?;
        let submitted = self.probed.engine.submit(batch);
        if let Err(error) = &submitted
            && !matches!(error, PlaceError::Unnamed { .. })
            && !error.may_have_gone_through()
        {
            let text = format!("{error}\n");
            let path = batch.file(REFUSED);
            let noted = write_atomic_bytes(&path, Durability::Content, text.as_bytes());
            self.complain(noted.map_err(PlaceError::from));
        }
        submitted
    }

    /// Nobody can say whether the scheduler has a submission: where it may, it is not made again.
    fn cannot_ask(&mut self, number: u64) -> Result<(), EngineError> {
        let Some(batch) = self.batches.get(&number) else {
            return Ok(());
        };
        if batch.unconfirmed.is_none() || !batch.doubt {
            return self.not_found(number);
        }
        let message = format!(
            "whether `{}` was submitted is not known, and the scheduler cannot be asked (`engine.template.find`)",
            batch.submitted.key
        );
        let engine = self.probed.engine.name();
        self.not_submitted(number, PlaceError::Unnamed { engine, message })
    }

    /// The scheduler does not show a submission.
    fn not_found(&mut self, number: u64) -> Result<(), EngineError> {
        if let Some(batch) = self.batches.get_mut(&number) {
            batch.absences += 1;
        }
        let known = self.batches.get(&number);
        let Some((batch, may_be_there, again_at)) = known.and_then(|known| {
            let may_be_there = known.doubt && known.absences < MOST_ABSENCES;
            Some((known.unconfirmed.clone()?, may_be_there, known.again_at))
        }) else {
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
        if stopped || may_be_there || self.only_looks() || Instant::now() < again_at {
            return Ok(());
        }
        match self.hand_over(&batch) {
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
            batch.doubt = false;
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
        (batch.doubt, batch.absences) = (error.may_have_gone_through(), 0);
        if !error.is_temporary() || batch.failures >= MOST_TRIES {
            return Err(error.into());
        }
        let pause = FIRST_PAUSE * 2u32.saturating_pow(batch.failures - 1);
        let least = if batch.doubt {
            LATE_PAUSE
        } else {
            Duration::ZERO
        };
        batch.again_at = Instant::now() + pause.min(MOST_BACKOFF).max(least);
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
        batch.doubt = false;
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
