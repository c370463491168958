//! Polls the scheduler: one question for all jobs, what its answer means for each of them, and who is told.

use super::contract::{JobState, PlaceError};
use super::jobs_file::JobsFile;
use super::question::{Answer, Question};
use super::remote_run::{LEAST_PAUSE, MOST_BACKOFF, RemoteRun, SOON};
use crate::error::EngineError;
use crate::events::{JobGroup, RunEvent};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

impl RemoteRun<'_> {
    /// Asks sooner where only the scheduler knows why a job ended before its work was done.
    pub(super) fn hurry(&mut self) {
        let now = Instant::now();
        if self.failures > 0 {
            return;
        }
        if self.chunks.values().any(|chunk| chunk.is_in_doubt(now)) {
            self.poll_at = self.poll_at.min(self.polled_at + SOON);
        }
        // A submission that may have gone through is looked for again and again, with growing pauses.
        let batches = self.batches.values().filter(|batch| batch.doubt);
        let tries = batches.map(|batch| batch.absences.saturating_add(batch.refusals));
        if let Some(tries) = tries.min() {
            let pause = SOON * 2u32.saturating_pow(tries.saturating_sub(1));
            self.poll_at = self.poll_at.min(self.polled_at + pause);
        }
    }

    /// Asks the scheduler about everything at once, and has what ended jobs left brought here. The answer comes later.
    pub(super) fn ask(&mut self) {
        let (mut unconfirmed, mut batches) = (BTreeMap::new(), BTreeMap::new());
        for (number, batch) in &self.batches {
            let submitted = batch.submitted.clone();
            if batch.unconfirmed.is_some() || batch.unnamed {
                unconfirmed.insert(*number, submitted.clone());
            }
            if batch.unconfirmed.is_none() {
                batches.insert(*number, (submitted, Vec::new()));
            }
        }
        for chunk in self.chunks.values() {
            if let Some((_, open)) = batches.get_mut(&chunk.batch) {
                open.push(chunk.element);
            }
        }
        self.asker.ask(Question {
            unconfirmed,
            batches,
        });
        self.pause = LEAST_PAUSE;
    }

    /// Takes the scheduler's answer.
    pub(super) fn hear(&mut self, answer: Answer) -> Result<(), EngineError> {
        self.settle_unconfirmed(answer.found)?;
        let now = Instant::now();
        self.polled_at = answer.asked_at;
        let (seen, refusal) = match answer.seen {
            Ok(seen) => (Some(seen), answer.collected.err()),
            Err(error) => (None, Some(error)),
        };
        self.count_failures(refusal, now);
        if let Some(seen) = seen {
            let unsure = |place: &(String, u64)| answer.unsure.contains(place);
            let hears_nodes = self.probed.engine.hears_nodes();
            for chunk in self.chunks.values_mut() {
                let Some(batch) = self.batches.get(&chunk.batch) else {
                    continue;
                };
                let place = (batch.submitted.key.clone(), chunk.element);
                // What was submitted after the question is not in its answer.
                if !answer.asked.contains(&chunk.batch) || unsure(&place) {
                    continue;
                }
                let state = seen.get(&place).cloned().unwrap_or(JobState::Missing);
                let lives = !state.is_over() && state != JobState::Missing;
                chunk.sight(state, answer.asked_at, now);
                if lives && !hears_nodes {
                    chunk.heard = now;
                }
            }
            self.heard_at = Some((self.slots.request.now)());
            self.tell_jobs();
            self.tell_held();
        }
        Ok(())
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
            self.warn(format!("{error}; jobs run on, asking again later"));
        }
    }

    /// Whether signs of life and records come through the scheduler, and it did not answer: nothing can be said of jobs
    /// that are not heard meanwhile.
    pub(super) fn is_deaf(&self) -> bool {
        self.failures > 0 && self.probed.engine.collects()
    }

    /// Tells what the scheduler says of the open jobs, here and to other terminals.
    pub(super) fn tell_jobs(&self) {
        let mut found: BTreeMap<(&str, Option<&str>), Vec<String>> = BTreeMap::new();
        for chunk in self.chunks.values() {
            let batch = self.batches.get(&chunk.batch).map(|batch| &batch.submitted);
            let name = batch.map(|batch| batch.handle.as_ref().unwrap_or(&batch.key));
            let job = format!("{}_{}", name.map_or("", String::as_str), chunk.element);
            let said = (self.word_of(chunk), chunk.state().reason());
            found.entry(said).or_default().push(job);
        }
        let groups: Vec<JobGroup> = found
            .into_iter()
            .map(|((state, reason), jobs)| JobGroup {
                state: state.to_owned(),
                reason: reason.map(str::to_owned),
                jobs,
            })
            .collect();
        // What was submitted since is told beside what is older: the time is that of the scheduler's last answer, which
        // an earlier controller may have had.
        let before = || JobsFile::read(self.run).map(|told| told.at);
        let heard = self.heard_at.or_else(before);
        let told = JobsFile {
            at: heard.unwrap_or_else(self.slots.request.now),
            jobs: groups.clone(),
        };
        if let Err(error) = told.write(self.run) {
            self.warn(error.to_string());
        }
        let _ = self.slots.events.send(RunEvent::Jobs(groups));
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
