//! Picking up what an earlier controller handed out, from the journal and the chunks' folders.

use super::contract::{Batch, JobState, Submitted};
use super::open_chunk::{Element, OpenChunk};
use super::pack::Load;
use super::remote_run::{OpenBatch, RemoteRun};
use super::resubmit::{LATE_PAUSE, was_refused};
use crate::attempt_id::AttemptId;
use crate::error::EngineError;
use fairtrial_journal::{BatchInfo, RunState};
use std::time::{Duration, Instant};

impl RemoteRun<'_> {
    /// Finds what an earlier controller handed out.
    pub(super) fn adopt(&mut self, known: &RunState) -> Result<(), EngineError> {
        let mut elsewhere = Vec::new();
        for info in &known.batches {
            self.next_batch = self.next_batch.max(info.number + 1);
            self.next_chunk = self.next_chunk.max(info.chunks.end);
            let (open, all) = self.adopt_chunks(known, info)?;
            if open == 0 {
                // Whoever took its last record may have been cut off before it was tidied up.
                let _ = self.probed.engine.cleanup(&Submitted::of(self.run, info));
                continue;
            }
            if info.engine != self.probed.engine.name() {
                return Err(EngineError::OtherEngine {
                    engine: info.engine.clone(),
                    jobs: open,
                });
            }
            let submitted = Submitted::of(self.run, info);
            if info.key != Batch::key_of(self.run, info.number) {
                elsewhere.push((info.number, submitted));
                continue;
            }
            let unnamed = info.taken && info.handle.is_none();
            let unconfirmed = (!info.taken).then(|| {
                let load = Load {
                    needs: self.packing().needs(&all),
                    trials: all,
                };
                self.batch(info.key.clone(), info.chunks.clone(), load.needs, None)
            });
            // Whoever was cut off before the answer came may have submitted it, unless the last try was refused.
            let doubt = !info.taken && !was_refused(&submitted)?;
            let pause = if doubt { LATE_PAUSE } else { Duration::ZERO };
            let batch = OpenBatch {
                unnamed,
                doubt,
                again_at: Instant::now() + pause,
                ..OpenBatch::new(submitted, unconfirmed)
            };
            self.batches.insert(info.number, batch);
        }
        self.refuse_elsewhere(&elsewhere)
    }

    /// The open chunks of a submission: how many, and all their trials.
    fn adopt_chunks(
        &mut self,
        known: &RunState,
        info: &BatchInfo,
    ) -> Result<(usize, Vec<AttemptId>), EngineError> {
        let (mut open, mut all) = (0, Vec::new());
        for number in info.chunks.clone() {
            let element = Element::of(info, number);
            let adopted = OpenChunk::adopt(self.run, known, number, element);
            let Some((found, trials)) = adopted.map_err(EngineError::Unknown)? else {
                continue;
            };
            all.extend(trials);
            open += 1;
            self.hold(&found);
            self.chunks.insert(number, found);
        }
        Ok((open, all))
    }

    /// The trials of an adopted chunk are running, as far as the dispatch is concerned.
    fn hold(&self, chunk: &OpenChunk) {
        let mut state = self.slots.controller.lock();
        for index in chunk.left.keys() {
            state.dispatch.adopt(*index);
        }
    }

    /// Jobs that were submitted from another place write there: nothing would ever be heard of them here, and ending
    /// them would end the original's where this is a copy. What they left before is taken.
    fn refuse_elsewhere(&mut self, elsewhere: &[(u64, Submitted)]) -> Result<(), EngineError> {
        if elsewhere.is_empty() {
            return Ok(());
        }
        self.look();
        let now = Instant::now();
        for chunk in self.chunks.values_mut() {
            let there = elsewhere.iter().any(|(number, _)| chunk.batch == *number);
            if there && chunk.has_left() {
                chunk.sight(JobState::Done, now, now);
            }
        }
        self.close_lost()?;
        let (mut jobs, mut names) = (0, Vec::new());
        for (number, submitted) in elsewhere {
            let chunks = self.chunks.values();
            let open = chunks.filter(|chunk| chunk.batch == *number);
            let elements: Vec<u64> = open.map(|chunk| chunk.element).collect();
            if elements.is_empty() {
                continue;
            }
            jobs += elements.len();
            let line = self.probed.engine.cancel_line(submitted, &elements);
            let line = line.map_or(String::new(), |line| format!(" (`{line}`)"));
            names.push(format!("`{}`{line}", submitted.key));
        }
        if jobs == 0 {
            return Ok(());
        }
        Err(EngineError::Moved {
            jobs,
            path: self.run.path().to_owned(),
            names: names.join(", "),
        })
    }
}
