//! Whether a chunk is still alive: its heartbeat counts first and the scheduler's word second; records come before both.

use super::contract::JobState;
use super::open_chunk::OpenChunk;
use super::remote_run::SOON;
use std::time::{Duration, Instant};

/// How long a cancelled job is waited for.
pub(super) const CANCEL_WAIT: Duration = Duration::from_secs(90);

/// How often something must be missed in the scheduler's answers before it is taken for gone.
pub(super) const MOST_ABSENCES: u32 = 3;

/// What to think of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Health {
    /// Wait.
    Fine,
    /// Its runner left in good order, with trials that it did not begin.
    Left,
    /// It will not come back.
    Dead,
}

/// What the scheduler's word is worth about a job that was cancelled.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Trust {
    /// Its jobs have no name by which they could be ended: they leave by themselves when they begin.
    pub(super) nameless: bool,
    /// It keeps a list of all jobs, so that one that is not on it is strange: nobody else would hear of it.
    pub(super) lists_all: bool,
    /// What ended jobs left comes through it, and did not come when it was last asked.
    pub(super) owes_records: bool,
}

impl OpenChunk {
    /// The health of a chunk that is wanted.
    pub(super) fn health(&self, grace: Duration, now: Instant) -> Health {
        if self.has_left() {
            return if self.is_in_doubt(now) {
                Health::Fine
            } else {
                Health::Left
            };
        }
        let quiet = now.duration_since(self.heard);
        if self.state.is_over() {
            let since = now.duration_since(self.state_since);
            // Whoever said that nothing more can be done is not heard any more.
            let comes_back = matches!(self.state, JobState::Preempted | JobState::NodeLost);
            if self.setup_failed() && !self.began() && self.is_told() && !comes_back {
                return Health::Dead;
            }
            let dead = since >= self.patience() && quiet >= self.patience();
            return if dead { Health::Dead } else { Health::Fine };
        }
        // The scheduler may have ended the job meanwhile: it says whether somebody cancelled it or it waits anew.
        let waits_anew = matches!(self.state, JobState::Pending(_) | JobState::Held(_));
        if self.setup_failed()
            && (!self.began() || quiet >= self.patience())
            && !(waits_anew && self.is_told())
        {
            return if self.is_in_doubt(now) {
                Health::Fine
            } else {
                Health::Dead
            };
        }
        let waits = match &self.state {
            // Its turn has not come, or a person holds it back.
            JobState::Pending(_) => !self.began(),
            JobState::Suspended => true,
            JobState::Held(reason) => !self.began() && !reason.contains("launch failed"),
            // Queues have answered nothing for a moment: an absence counts from its first sight, and is seen often.
            JobState::Missing => {
                self.absences < MOST_ABSENCES || now.duration_since(self.state_since) < grace
            }
            _ => false,
        };
        if waits || quiet < grace {
            Health::Fine
        } else {
            Health::Dead
        }
    }

    /// The same for one that was taken back before it began: it is over as soon as the scheduler says, after that, that
    /// it waits (whoever begins later sees that it was taken back) or is gone.
    pub(super) fn recalled_health(&self, since: Instant, grace: Duration, now: Instant) -> Health {
        let waits = matches!(self.state, JobState::Pending(_) | JobState::Held(_)) && !self.began();
        let gone = self.state.is_over() && self.state != JobState::NodeLost;
        if self.was_sighted(since) && (waits || gone) {
            Health::Left
        } else {
            self.health(grace, now)
        }
    }

    /// The same for one whose run was cancelled: it is over when it said so, or when the scheduler says so that was
    /// asked after that, and no heartbeat says otherwise. One that lives is never taken for over, however long it takes.
    pub(super) fn cancelled_health(&self, since: Instant, trust: Trust, now: Instant) -> Health {
        if self.has_left() || (trust.nameless && !self.began()) {
            return Health::Left;
        }
        let waited = now.duration_since(since);
        let gone = match &self.state {
            JobState::Missing if trust.lists_all => waited >= CANCEL_WAIT,
            JobState::Missing => waited >= SOON,
            state => state.is_over(),
        };
        let brought = !trust.owes_records || waited >= CANCEL_WAIT;
        let silent = !self.began() || now.duration_since(self.heard) >= self.patience();
        if self.was_sighted(since) && gone && brought && silent {
            Health::Dead
        } else {
            Health::Fine
        }
    }

    /// How long a heartbeat may take: a process whose node the scheduler gave up may live, and would be heard by then.
    fn patience(&self) -> Duration {
        Duration::from_secs_f64(self.beat_s * 2.5)
    }

    /// Whether the scheduler was asked after the job is known to have ended.
    fn is_told(&self) -> bool {
        self.left_at.is_some_and(|since| self.was_sighted(since))
    }

    fn was_sighted(&self, since: Instant) -> bool {
        self.sighted_at.is_some_and(|at| at >= since)
    }
}

#[cfg(test)]
mod tests {
    use super::{CANCEL_WAIT, Health, JobState, OpenChunk, Trust};
    use crate::attempt_id::AttemptId;
    use crate::chunk::{CHUNK_SCHEMA, Chunk, ChunkDir, Setup};
    use crate::remote::open_chunk::Element;
    use std::time::{Duration, Instant};

    /// A chunk without a heartbeat, submitted then.
    fn submitted(since: Instant) -> OpenChunk {
        let id = AttemptId {
            index: 0,
            attempt: 1,
        };
        let chunk = Chunk {
            schema: CHUNK_SCHEMA,
            number: 0,
            plan_hash: String::new(),
            only: None,
            version: String::new(),
            beat_s: 10.0,
            put_away: false,
            trials: vec![id],
            spent: std::collections::BTreeMap::new(),
        };
        let element = Element {
            batch: 0,
            element: 0,
        };
        OpenChunk::new(ChunkDir::at("/none".into()), &chunk, element, since)
    }

    /// The health of a cancelled chunk of which the scheduler says this, so long after.
    fn cancelled(state: JobState, trust: Trust, waited: Duration) -> Health {
        let since = Instant::now();
        let mut chunk = submitted(since);
        let now = since + waited;
        assert_eq!(chunk.cancelled_health(since, trust, now), Health::Fine);
        chunk.sight(state, now, now);
        chunk.cancelled_health(since, trust, now)
    }

    /// The health of a wanted chunk after each of these words of the scheduler, with a grace of 100 s.
    fn healths(words: &[(u64, JobState)]) -> Vec<Health> {
        let begin = Instant::now();
        let mut chunk = submitted(begin);
        let after = words.iter().map(|(at, state)| {
            let now = begin + Duration::from_secs(*at);
            chunk.sight(state.clone(), now, now);
            chunk.health(Duration::from_secs(100), now)
        });
        after.collect()
    }

    #[test]
    fn silence_counts_while_a_job_runs() {
        let pending = || JobState::Pending("Resources".into());
        let (fine, dead) = (Health::Fine, Health::Dead);
        let waited = [
            (500, pending()),
            (501, JobState::Running),
            (600, JobState::Running),
        ];
        assert_eq!(healths(&waited), [fine.clone(), fine.clone(), fine.clone()]);
        let silent = [(500, JobState::Running), (601, JobState::Running)];
        assert_eq!(healths(&silent), [fine.clone(), dead.clone()]);
        // One answer without it, or a few within a short time, say nothing.
        let missing = JobState::Missing;
        let once = [
            (500, missing.clone()),
            (501, pending()),
            (700, missing.clone()),
        ];
        assert_eq!(healths(&once), [fine.clone(), fine.clone(), fine.clone()]);
        let often = [500, 510, 520, 599, 600].map(|at| (at, missing.clone()));
        assert_eq!(healths(&often)[..4], [(); 4].map(|()| fine.clone()));
        assert_eq!(healths(&often)[4], dead);
        let twice = [(500, missing.clone()), (900, missing)];
        assert_eq!(healths(&twice), [fine.clone(), fine]);
    }

    /// The health of a chunk whose node could not be prepared, after the scheduler's next word and then this later.
    fn unprepared(state: Option<JobState>, later: u64) -> Health {
        let begin = Instant::now();
        let mut chunk = submitted(begin);
        chunk.sight(JobState::Running, begin, begin);
        chunk.setup = Some(Setup::Failed {
            status: "1".into(),
            line: 1,
            host: "n1".into(),
        });
        let seen = begin + Duration::from_secs(1);
        chunk.left_at = Some(seen);
        let grace = Duration::from_secs(100);
        assert_eq!(chunk.health(grace, seen), Health::Fine, "a word is due");
        let next = begin + Duration::from_secs(2);
        if let Some(state) = state {
            chunk.sight(state, next, next);
        }
        chunk.health(grace, next + Duration::from_secs(later))
    }

    #[test]
    fn the_scheduler_is_asked_why_a_node_was_not_prepared() {
        for over in [
            JobState::Cancelled,
            JobState::Failed("NonZeroExitCode".into()),
            JobState::Missing,
        ] {
            assert_eq!(unprepared(Some(over), 0), Health::Dead);
        }
        // Put back into the queue, where it may stay for long.
        let pending = JobState::Pending("BeginTime".into());
        assert_eq!(unprepared(Some(pending), 10_000), Health::Fine);
        assert_eq!(unprepared(Some(JobState::Preempted), 0), Health::Fine);
        // One that does not answer, or says what is long past, is not waited for without end.
        for silent in [None, Some(JobState::Running)] {
            assert_eq!(unprepared(silent.clone(), 10), Health::Fine);
            assert_eq!(unprepared(silent, 70), Health::Dead);
        }
    }

    #[test]
    fn a_cancelled_job_is_over_when_that_is_known() {
        let (shared, long) = (Trust::default(), CANCEL_WAIT * 100);
        for lives in [
            JobState::Pending(String::new()),
            JobState::Running,
            JobState::Suspended,
        ] {
            assert_eq!(cancelled(lives, shared, long), Health::Fine);
        }
        let at_once = Duration::ZERO;
        assert_eq!(
            cancelled(JobState::Cancelled, shared, at_once),
            Health::Dead
        );
        // One that is not in the queue may just not be there yet; where the queue has all jobs, that is strange.
        assert_eq!(cancelled(JobState::Missing, shared, at_once), Health::Fine);
        let soon = CANCEL_WAIT / 2;
        assert_eq!(cancelled(JobState::Missing, shared, soon), Health::Dead);
        let lists_all = Trust {
            lists_all: true,
            ..shared
        };
        assert_eq!(cancelled(JobState::Missing, lists_all, soon), Health::Fine);
        assert_eq!(cancelled(JobState::Missing, lists_all, long), Health::Dead);
        // What it left is waited for, and given up in the end.
        let owes_records = Trust {
            owes_records: true,
            ..lists_all
        };
        assert_eq!(cancelled(JobState::Done, owes_records, soon), Health::Fine);
        assert_eq!(cancelled(JobState::Done, owes_records, long), Health::Dead);
    }
}
