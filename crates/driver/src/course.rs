//! How often an experiment was executed in a process: as its spec says, or as it was found.

use crate::request::DriveTask;
use serde_json::{Map, Value, json};

/// Executions before and while it is measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Course {
    /// Iterations that were not measured.
    pub(crate) warmup: u64,
    /// Measured iterations that were asked for.
    pub(crate) measured: u64,
    /// Executions inside each.
    pub(crate) inner: u64,
    /// Whether the times were stable at the end of the warm-up; absent where nobody looked.
    pub(crate) stable: Option<bool>,
    /// About how long to measure.
    pub(crate) min_time_s: f64,
    /// The smallest step of the clock, where it mattered.
    pub(crate) clock_step_s: Option<f64>,
}

impl Course {
    /// As far as the spec says it.
    pub(crate) fn asked(task: &DriveTask) -> Self {
        Self {
            warmup: task.warmup.unwrap_or(0).into(),
            measured: task.measured.unwrap_or(0).into(),
            inner: 1,
            stable: None,
            min_time_s: task
                .min_time_s
                .unwrap_or(fairtrial_spec::DEFAULT_MIN_TIME_S),
            clock_step_s: None,
        }
    }

    /// For the result file: the original's two numbers, and how they were found.
    pub(crate) fn facts(&self) -> Map<String, Value> {
        let mut facts = Map::new();
        facts.insert("warmup".to_owned(), self.warmup.into());
        facts.insert("measured".to_owned(), self.measured.into());
        if let Some(step) = self.clock_step_s {
            facts.insert("inner".to_owned(), self.inner.into());
            facts.insert("min_time_s".to_owned(), json!(self.min_time_s));
            facts.insert("clock_step_s".to_owned(), json!(step));
        }
        if let Some(stable) = self.stable {
            facts.insert("stable".to_owned(), stable.into());
        }
        facts
    }

    /// What a reader of the times should know.
    pub(crate) fn remark(&self) -> Option<String> {
        (self.stable == Some(false)).then(|| {
            format!(
                "warm-up: the times were not yet stable after {} s and {} iterations; a longer `min_time`, or `warmup`, \
                 warms up for longer",
                self.min_time_s, self.warmup
            )
        })
    }
}
