//! Polls the scheduler: one question for all jobs, what its answer means for each of them, and who is told.

use super::contract::{JobState, PlaceError, Sightings, Submitted};
use super::remote_run::{MOST_BACKOFF, RemoteRun, SOON};
use crate::events::RunEvent;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

impl RemoteRun<'_> {
    /// Asks sooner where only the scheduler knows why a job ended before its work was done.
    pub(super) fn hurry(&mut self) {
        let now = Instant::now();
        if self.failures == 0 && self.chunks.values().any(|chunk| chunk.is_in_doubt(now)) {
            self.poll_at = self.poll_at.min(self.polled_at + SOON);
        }
    }

    /// Asks the scheduler about everything at once, and has what ended jobs left brought here.
    pub(super) fn poll(&mut self) {
        let batches: Vec<Submitted> = self
            .batches
            .values()
            .filter(|batch| batch.unconfirmed.is_none())
            .map(|batch| batch.submitted.clone())
            .collect();
        let engine = &self.probed.engine;
        // First what is over, then what it left: the other way round a last record could be missed.
        let polled = engine.poll(&batches);
        let collected = match &polled {
            Ok(_) => engine.collect(&batches),
            Err(_) => Ok(()),
        };
        let now = Instant::now();
        self.polled_at = now;
        let (seen, refusal) = match polled {
            Ok(seen) => (Some(seen), collected.err()),
            Err(error) => (None, Some(error)),
        };
        self.count_failures(refusal, now);
        if let Some(seen) = seen {
            self.sight(&seen, now);
            self.tell_jobs();
            self.tell_held();
        }
    }

    /// When to ask next: later and later while there is no answer, but for a run that is being cancelled.
    fn count_failures(&mut self, refusal: Option<PlaceError>, now: Instant) {
        let usual = if self.cancelled.is_some() {
            SOON
        } else {
            Duration::from_secs_f64(self.options().poll_s)
        };
        let Some(error) = refusal else {
            if self.is_deaf() {
                // The silence until now was not the jobs'.
                self.chunks.values_mut().for_each(|chunk| chunk.heard = now);
            }
            self.failures = 0;
            self.poll_at = now + usual;
            return;
        };
        self.failures += 1;
        let factor = 2u32.saturating_pow(self.failures.min(10));
        self.poll_at = match self.cancelled {
            Some(_) => now + usual,
            None => now + (usual * factor).min(MOST_BACKOFF.max(usual)),
        };
        if self.failures == 1 {
            self.warn(format!("{error}; jobs go on, asking again later"));
        }
    }

    /// Takes the scheduler's word for every job that it knows of.
    fn sight(&mut self, seen: &Sightings, now: Instant) {
        let hears_nodes = self.probed.engine.hears_nodes();
        for chunk in self.chunks.values_mut() {
            let Some(batch) = self.batches.get(&chunk.batch) else {
                continue;
            };
            if batch.unconfirmed.is_some() {
                continue;
            }
            let place = (batch.submitted.key.clone(), chunk.element);
            let state = seen.get(&place).cloned().unwrap_or(JobState::Missing);
            let lives = !state.is_over() && state != JobState::Missing;
            chunk.sight(state, now);
            if lives && !hears_nodes {
                chunk.heard = now;
            }
        }
    }

    /// Whether signs of life and records come through the scheduler, and it did not answer: nothing can be said of jobs
    /// that are not heard meanwhile.
    pub(super) fn is_deaf(&self) -> bool {
        self.failures > 0 && self.probed.engine.collects()
    }

    fn tell_jobs(&self) {
        let mut states = BTreeMap::new();
        for chunk in self.chunks.values() {
            *states.entry(self.word_of(chunk)).or_default() += 1;
        }
        let _ = self.slots.events.send(RunEvent::Jobs(states));
    }

    /// Says once that jobs are held, and again after something about it changed.
    fn tell_held(&mut self) {
        let held = self.chunks.values().filter_map(|chunk| {
            let JobState::Held(reason) = chunk.state() else {
                return None;
            };
            Some((chunk.batch, reason))
        });
        let mut found: BTreeMap<u64, (usize, &String)> = BTreeMap::new();
        for (batch, reason) in held {
            found.entry(batch).or_insert((0, reason)).0 += 1;
        }
        let words = found.into_iter().filter_map(|(number, (jobs, reason))| {
            let batch = &self.batches.get(&number)?.submitted;
            Some(match self.probed.engine.release(batch, reason) {
                Some(line) => format!("{jobs} jobs are held ({reason}) until somebody releases them: `{line}`"),
                None => format!("{jobs} jobs cannot start as they are ({reason}); `fairtrial cancel` takes them back"),
            })
        });
        let words: Vec<String> = words.collect();
        let text = (!words.is_empty()).then(|| words.join("; "));
        if let (Some(text), true) = (&text, text != self.last_held) {
            self.warn(text.clone());
        }
        self.last_held = text;
    }
}
