//! A chunk that is with a scheduler: what its folder and the scheduler have said so far.

use super::contract::JobState;
use crate::attempt_id::AttemptId;
use crate::chunk::{Beat, Chunk, ChunkDir, Phase, Revoked, Setup};
use fairtrial_journal::{BatchInfo, JournalError, RunDir, RunState, is_there};
use fairtrial_model::{Cause, Exit, Outcome, Record};
use fairtrial_plan::Plan;
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

/// How long a folder is read again after it changed: two files may come within one tick of the clock.
const SETTLED: Duration = Duration::from_secs(1);
/// Longest time for which a scheduler is asked why it ended a job.
const MOST_DOUBT: Duration = Duration::from_mins(1);

/// Which job a chunk is: an element of a submission.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub(super) batch: u64,
    pub(super) element: u64,
}

impl Element {
    /// The element of a submission that holds this chunk.
    pub(super) fn of(info: &BatchInfo, chunk: u64) -> Self {
        Self {
            batch: info.number,
            element: chunk - info.chunks.start,
        }
    }
}

/// A chunk whose trials are not all answered.
pub(super) struct OpenChunk {
    pub(super) dir: ChunkDir,
    /// The submission that it belongs to, and its element there.
    pub(super) batch: u64,
    pub(super) element: u64,
    /// Trials without a record, with their attempts.
    pub(super) left: BTreeMap<u64, u32>,
    pub(super) beat: Option<Beat>,
    /// When it was opened or its heartbeat last changed.
    pub(super) heard: Instant,
    /// Whether any of its trials has a record.
    pub(super) progressed: bool,
    /// Records of trials that were cut off because the scheduler ended the job, or that somebody killed; only the
    /// scheduler knows why.
    cut: Vec<Record>,
    /// When it was taken back before it had begun, as far as was known, or because the user had cancelled it.
    pub(super) recalled: Option<Instant>,
    /// Whether an earlier controller was told to cancel it and did not come to see its end.
    pub(super) half_cancelled: bool,
    /// Since when the chunk's runner is known to have left with work undone, or its node's preparation to have failed.
    pub(super) left_at: Option<Instant>,
    pub(super) state: JobState,
    pub(super) state_since: Instant,
    /// How often in a row the scheduler did not show it.
    pub(super) absences: u32,
    /// How the lines that prepare its node get on, until the runner begins.
    pub(super) setup: Option<Setup>,
    pub(super) sighted_at: Option<Instant>,
    pub(super) beat_s: f64,
    changed: Option<(SystemTime, Instant)>,
    read_at: Option<Instant>,
}

impl OpenChunk {
    pub(super) fn new(dir: ChunkDir, chunk: &Chunk, element: Element, now: Instant) -> Self {
        Self {
            dir,
            batch: element.batch,
            element: element.element,
            left: chunk
                .trials
                .iter()
                .map(|id| (id.index, id.attempt))
                .collect(),
            beat: None,
            heard: now,
            progressed: false,
            cut: Vec::new(),
            recalled: None,
            half_cancelled: false,
            left_at: None,
            state: JobState::Pending(String::new()),
            absences: 0,
            setup: None,
            state_since: now,
            sighted_at: None,
            beat_s: chunk.beat_s,
            changed: None,
            read_at: None,
        }
    }

    /// A chunk that an earlier controller gave out, with all its trials; absent where nothing of it is open. One that was
    /// taken back may run all the same, until the journal has its answers or its end is known: then only the records
    /// count that came. A chunk is on disk before the journal knows of it: one that cannot be read may be running, and
    /// only one whose folder somebody removed can bring nothing any more.
    pub(super) fn adopt(
        run: &RunDir,
        known: &RunState,
        number: u64,
        element: Element,
    ) -> Result<Option<(Self, Vec<AttemptId>)>, JournalError> {
        let dir = ChunkDir::of(run, number);
        let chunk = match dir.read() {
            Ok(chunk) => chunk,
            Err(error) => {
                let some_open = known.trials().any(|(_, trial)| trial.is_in_flight());
                return if some_open && dir.is_there()? {
                    Err(error)
                } else {
                    Ok(None)
                };
            }
        };
        let mut found = Self::new(dir, &chunk, element, Instant::now());
        found.keep_open(known);
        found.progressed = found.dir.recorded().is_ok_and(|some| !some.is_empty());
        match found.dir.revoked() {
            Some(Revoked::Closed) => found.keep_recorded()?,
            Some(Revoked::Cancelled) => found.half_cancelled = true,
            Some(Revoked::Withdrawn) | None => {}
        }
        Ok((!found.left.is_empty()).then_some((found, chunk.trials)))
    }

    /// Forgets the trials that the journal has answered, or has given out anew.
    fn keep_open(&mut self, known: &RunState) {
        self.left.retain(|index, attempt| {
            let trial = known.trial(*index);
            trial.started == *attempt && trial.finished < *attempt
        });
    }

    /// Forgets the trials that left no record.
    fn keep_recorded(&mut self) -> Result<(), JournalError> {
        for (index, attempt) in self.left.clone() {
            if !self.dir.has_record(AttemptId { index, attempt })? {
                self.left.remove(&index);
            }
        }
        Ok(())
    }

    /// Reads what came into the folder; gives the records of open attempts.
    pub(super) fn look(&mut self, plan: &Plan, now: Instant) -> Vec<Record> {
        if !self.shall_read(now) {
            return Vec::new();
        }
        // The heartbeat first: one that says "ended" was written after the last record.
        let beat = self.dir.beat();
        if beat.is_some() && beat != self.beat {
            self.beat = beat;
            self.heard = now;
        }
        let setup = self.dir.setup();
        if setup != self.setup {
            self.setup = setup;
            self.heard = now;
        }
        // What the system refuses now comes with the next heartbeat, or is asked for when the chunk is closed.
        let mut found = Vec::new();
        for id in self.dir.recorded().unwrap_or_default() {
            if self.left.get(&id.index) == Some(&id.attempt) {
                found.extend(self.take(id, plan));
            }
        }
        let (cut, found) = found
            .into_iter()
            .partition(|record: &Record| is_cut(record) || was_killed(record));
        self.cut.extend::<Vec<Record>>(cut);
        let ended = self.has_left() || self.setup_failed() || self.cut.iter().any(is_cut);
        let undone = self.is_open() && ended;
        self.left_at = undone.then(|| self.left_at.unwrap_or(now));
        found
    }

    /// Whether something of it is not answered.
    pub(super) fn is_open(&self) -> bool {
        !self.left.is_empty() || !self.cut.is_empty()
    }

    /// The records of trials that were cut off with the job, for whoever closes the chunk.
    pub(super) fn take_cut(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.cut)
    }

    /// Whether the scheduler shall say soon why the job ended before its work was done.
    pub(super) fn is_in_doubt(&self, now: Instant) -> bool {
        let Some(since) = self.left_at else {
            return false;
        };
        let told = self.sighted_at.is_some_and(|at| at >= since) && self.state != JobState::Running;
        !told && !self.state.is_over() && now.duration_since(since) < MOST_DOUBT
    }

    /// The record of an attempt, where it is valid; the trial is then answered.
    fn take(&mut self, id: AttemptId, plan: &Plan) -> Option<Record> {
        let record = self.dir.record(id).ok()??;
        let trial = plan.trial(id.index)?;
        if trial.id() != record.id {
            return None;
        }
        self.left.remove(&id.index);
        self.progressed = true;
        Some(record)
    }

    fn shall_read(&mut self, now: Instant) -> bool {
        let changed = self.dir.changed_at();
        let known = self.changed.filter(|(at, _)| Some(*at) == changed);
        match (known, self.read_at) {
            (Some((_, first)), Some(read)) if read.duration_since(first) > SETTLED => return false,
            (Some(_), _) => {}
            (None, _) => self.changed = changed.map(|at| (at, now)),
        }
        self.read_at = Some(now);
        true
    }

    /// Reads again at the next look, whatever the folder's time says.
    pub(super) fn read_again(&mut self) {
        self.changed = None;
    }

    pub(super) fn state(&self) -> &JobState {
        &self.state
    }

    /// Takes the scheduler's word, for which it was asked then.
    pub(super) fn sight(&mut self, state: JobState, asked_at: Instant, now: Instant) {
        self.sighted_at = Some(asked_at);
        self.absences = match state {
            JobState::Missing => self.absences + 1,
            _ => 0,
        };
        if self.state != state {
            // What waited or stood still has had no time to beat: silence counts while it runs.
            if state == JobState::Running || self.state == JobState::Suspended {
                self.heard = now;
            }
            if state == JobState::Running && self.setup_failed() {
                // It was started again, and its folder may not show yet that its node is prepared anew.
                self.left_at = Some(now);
            }
            self.state = state;
            self.state_since = now;
            self.read_again();
        }
    }

    pub(super) fn setup_failed(&self) -> bool {
        matches!(self.setup, Some(Setup::Failed { .. }))
    }

    /// Whether its runner ever gave a sign of life.
    pub(super) fn began(&self) -> bool {
        self.beat.is_some()
    }

    pub(super) fn has_left(&self) -> bool {
        self.beat
            .as_ref()
            .is_some_and(|beat| beat.phase == Phase::Ended)
    }

    /// Whether an attempt was begun: its directory is there, or the system does not say that it is not.
    pub(super) fn begun(&self, run: &RunDir, id: AttemptId) -> bool {
        let running = self.beat.as_ref().and_then(|beat| beat.running);
        running == Some(id) || is_there(&run.trial_dir(id.index, id.attempt)).unwrap_or(true)
    }
}

/// Whether a trial was cut off with its job.
pub(super) fn is_cut(record: &Record) -> bool {
    matches!(record.cause, Some(Cause::JobEnded { .. }))
}

/// Whether somebody killed a trial who may have been the kernel, for want of memory: on the node nothing told.
fn was_killed(record: &Record) -> bool {
    const SIGKILL: i32 = 9;
    let killed = matches!(record.exit, Some(Exit::Signal(SIGKILL)))
        || record.exit == Some(Exit::Code(128 + SIGKILL));
    record.outcome == Outcome::Failed && killed
}
