//! Trials that are run in parts: what is known of the attempts before this one. A trial that saves its state is one trial,
//! however often it was interrupted: its last record names its parts, and its time limit is for all of them.

use fairtrial_journal::{
    Entry, Event, JournalError, ReadError, RunDir, RunState, read_journal, views,
};
use fairtrial_model::{Checkpoint, Outcome, Part, Record, Saved, UtcTime};
use fairtrial_plan::Plan;
use fairtrial_trial::{count_all_parts, look_at};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The parts of the trials of a run.
pub(crate) struct Parts {
    run: RunDir,
    plan: Arc<Plan>,
    known: Mutex<HashMap<u64, TrialParts>>,
}

/// What is known of one trial.
#[derive(Default)]
struct TrialParts {
    by_attempt: BTreeMap<u32, Part>,
    /// What stood in its folder when that was last looked at.
    left: Saved,
}

impl Parts {
    /// What earlier sessions left.
    pub(crate) fn read(
        run: &RunDir,
        plan: &Arc<Plan>,
        known: &RunState,
    ) -> Result<Self, JournalError> {
        let parts = Self {
            run: run.clone(),
            plan: Arc::clone(plan),
            known: Mutex::default(),
        };
        let some_save = plan
            .spec()
            .tasks
            .iter()
            .any(|task| task.checkpoint.is_some());
        if !some_save || known.opened.is_none() {
            return Ok(parts);
        }
        for entry in read_journal(&run.journal())? {
            match entry {
                Ok(Entry { event, .. }) => parts.take(event),
                // Damaged lines are told of where the journal is folded.
                Err(ReadError::Corrupt(_)) => {}
                Err(ReadError::Io(error)) => return Err(error),
            }
        }
        Ok(parts)
    }

    fn take(&self, event: Event) {
        match event {
            Event::Started {
                index, attempt, at, ..
            } if self.saves(index) => {
                let mut known = self.lock();
                let trial = known.entry(index).or_default();
                trial
                    .by_attempt
                    .entry(attempt)
                    .or_insert_with(|| Part::begun(attempt, at));
            }
            Event::Finished(record) if self.saves(record.trial.index) => self.remember(&record),
            _ => {}
        }
    }

    fn remember(&self, record: &Record) {
        let mut known = self.lock();
        let trial = known.entry(record.trial.index).or_default();
        trial.by_attempt.insert(record.attempt, Part::of(record));
        if let Some(checkpoint) = &record.checkpoint {
            trial.left = checkpoint.left;
        }
    }

    fn saves(&self, index: u64) -> bool {
        let task = self.plan.task(index);
        task.is_some_and(|task| task.checkpoint.is_some())
    }

    /// Seconds that the parts of a trial took since it last had its whole time.
    pub(crate) fn spent(&self, index: u64) -> f64 {
        self.interrupted(index, |part| part.wall.unwrap_or(0.0))
            .into_iter()
            .sum()
    }

    /// How many of the last parts of a trial were interrupted and left nothing new.
    pub(crate) fn idle(&self, index: u64) -> u32 {
        let saved = self.interrupted(index, |part| part.saved);
        let idle = saved.into_iter().take_while(|saved| !saved).count();
        u32::try_from(idle).unwrap_or(u32::MAX)
    }

    /// The parts that were interrupted since the trial last ended, the newest first.
    fn interrupted<T>(&self, index: u64, of: impl Fn(&Part) -> T) -> Vec<T> {
        let known = self.lock();
        let parts = known.get(&index).map(|trial| trial.by_attempt.values());
        let newest = parts.into_iter().flatten().rev();
        newest
            .take_while(|part| part.was_interrupted())
            .map(of)
            .collect()
    }

    /// Makes a record that of its whole trial, where that saves its state; says whether anything was added.
    pub(crate) fn complete(&self, record: &mut Record) -> bool {
        let index = record.trial.index;
        if !self.saves(index) || record.outcome == Outcome::Skipped {
            return false;
        }
        let mut changed = false;
        if record.checkpoint.is_none() {
            record.checkpoint = Some(self.seen_from_here(index));
            changed = true;
        }
        let parts = self.before(index, record.attempt);
        if let Some(checkpoint) = &mut record.checkpoint
            && !parts.is_empty()
        {
            checkpoint.parts = parts;
            if let Some(task) = self.plan.task(index) {
                count_all_parts(record, &self.plan.spec().metrics_of(task));
            }
            changed = true;
        }
        self.remember(record);
        changed
    }

    /// The state of a trial whose runner did not live to look at it.
    fn seen_from_here(&self, index: u64) -> Checkpoint {
        let stamp = self.run.stamp().to_string();
        let dir = fairtrial_journal::DataRoot::checkpoint_relative(&stamp, index);
        let left = look_at(&self.run.root().path().join(&dir));
        let found = self.lock().get(&index).map(|trial| trial.left);
        Checkpoint {
            dir,
            found: found.unwrap_or_default(),
            left,
            parts: Vec::new(),
        }
    }

    /// The parts before an attempt. What was given out and never begun left no folder, and is none; of one whose controller
    /// was killed at its start, the folder may be all there is.
    fn before(&self, index: u64, attempt: u32) -> Vec<Part> {
        let known = self.lock();
        let by_attempt = known.get(&index).map(|trial| &trial.by_attempt);
        let part = |attempt| {
            let part = by_attempt.and_then(|parts| parts.get(&attempt)).cloned();
            if part.as_ref().is_some_and(|part| part.outcome.is_some()) {
                return part;
            }
            let unseen = || Part {
                started_at: None,
                ..Part::begun(attempt, UtcTime::from_micros(0))
            };
            let began = self.run.trial_dir(index, attempt).exists();
            began.then(|| part.unwrap_or_else(unseen))
        };
        (1..attempt).filter_map(part).collect()
    }

    /// Puts a record that was completed beside the logs too; why not, where that cannot be.
    pub(crate) fn replace_copy(&self, record: &Record) -> Option<String> {
        if record.dir.is_empty() {
            return None;
        }
        let dir = self.run.trial_dir(record.trial.index, record.attempt);
        let replaced = views::replace_record(&dir, record);
        replaced.err().map(|error| error.to_string())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, TrialParts>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
