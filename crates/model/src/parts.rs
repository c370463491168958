//! A trial that was run in parts, from its records.

use crate::checkpoint::{Checkpoint, Part};
use crate::outcome::{Cause, Outcome};
use crate::record::Record;
use crate::resources::Resources;
use std::borrow::Cow;

impl Part {
    /// An attempt that has ended, as a part for those that follow.
    pub fn of(record: &Record) -> Self {
        Self {
            attempt: record.attempt,
            outcome: Some(record.outcome),
            cause: record.cause.clone(),
            started_at: record.started_at,
            ended_at: Some(record.ended_at),
            wall: record.resources.wall,
            user: record.resources.user,
            sys: record.resources.sys,
            saved: record.checkpoint.as_ref().is_some_and(Checkpoint::saved),
        }
    }
}

impl Record {
    /// Whether the attempt is at a trial that saves its state, and was ended by the loss of its machine or of its job.
    pub fn is_interrupted(&self) -> bool {
        let by_others = matches!(
            self.cause,
            Some(Cause::JobEnded { .. } | Cause::Lost { .. })
        );
        self.checkpoint.is_some() && self.outcome == Outcome::Infra && by_others
    }

    /// What the trial used in all its parts: times are sums, where they are known; the rest is of the last part.
    pub fn whole_resources(&self) -> Cow<'_, Resources> {
        let parts = self.checkpoint.as_ref().map_or(&[][..], |it| &it.parts);
        if parts.is_empty() {
            return Cow::Borrowed(&self.resources);
        }
        let add = |last: Option<f64>, of: fn(&Part) -> Option<f64>| {
            last.map(|last| last + parts.iter().filter_map(of).sum::<f64>())
        };
        let resources = &self.resources;
        Cow::Owned(Resources {
            wall: add(resources.wall, |part| part.wall),
            user: add(resources.user, |part| part.user),
            sys: add(resources.sys, |part| part.sys),
            ..resources.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Cause, Checkpoint, Outcome, Params, Part, Record, Saved, TrialId, TrialKey, UtcTime,
    };

    fn record() -> Record {
        let key = TrialKey {
            index: 0,
            task: "a".to_owned(),
            arm: None,
            point: Params::default(),
            seed: 1,
            rollout: 0,
        };
        Record::of(key, TrialId("0".repeat(32)), 3, UtcTime::from_micros(0))
    }

    #[test]
    fn times_of_parts_are_added_and_unknown_ones_are_left_out() {
        let mut last = record();
        last.resources.wall = Some(10.0);
        last.resources.peak_memory_bytes = Some(7);
        assert_eq!(last.whole_resources().wall, Some(10.0));
        let mut first = record();
        first.resources.wall = Some(5.0);
        first.resources.user = Some(1.0);
        let parts = vec![Part::of(&first), Part::begun(2, UtcTime::from_micros(0))];
        last.checkpoint = Some(Checkpoint {
            parts,
            ..Checkpoint::default()
        });
        let whole = last.whole_resources();
        assert_eq!((whole.wall, whole.user), (Some(15.0), None));
        assert_eq!(whole.peak_memory_bytes, Some(7));
    }

    #[test]
    fn only_a_trial_that_saves_its_state_is_interrupted() {
        let mut lost = record();
        lost.cause = Some(Cause::Lost {
            message: String::new(),
        });
        assert!(!lost.is_interrupted());
        lost.checkpoint = Some(Checkpoint::default());
        assert!(lost.is_interrupted());
        assert!(!lost.checkpoint.as_ref().unwrap().saved());
        lost.checkpoint.as_mut().unwrap().left = Saved {
            files: 1,
            bytes: 0,
            newest: None,
        };
        assert!(lost.checkpoint.as_ref().unwrap().saved());
        lost.outcome = Outcome::Timeout;
        assert!(!lost.is_interrupted());
    }
}
