//! What an instrument is asked with, and what it finds.

use fairtrial_experiment::Artifact;
use fairtrial_experiment::protocol::Sample;
use fairtrial_spec::Instrument;
use serde_json::{Map, Value};
use std::path::Path;
use std::time::Duration;

/// A day: whoever writes a longer time between two looks, or for a profiler, means something else.
pub(super) const DAY_S: f64 = 86_400.0;

/// What an instrument found.
#[derive(Debug, Default)]
pub(crate) struct InstrumentFinding {
    /// The instrument, or the label it was given.
    pub(crate) name: String,
    /// Over the whole measured part.
    pub(crate) summary: Map<String, Value>,
    /// By iteration, in order.
    pub(crate) by_iteration: Vec<(u64, Value)>,
    /// Files.
    pub(crate) artifacts: Vec<Artifact>,
    /// Why it saw nothing, or not all.
    pub(crate) absent: Option<String>,
}

impl InstrumentFinding {
    pub(super) fn absent(name: &str, why: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            absent: Some(why.into()),
            ..Self::default()
        }
    }
}

/// An instrument at work during the measured iterations.
pub(super) trait Observer {
    /// Stops and says what it found.
    fn stop(self: Box<Self>, samples: &[Sample], artifacts: &Path) -> InstrumentFinding;
}

pub(super) fn number(instrument: &Instrument, option: &str, default: f64) -> f64 {
    let given = instrument.options.get(option).and_then(Value::as_f64);
    given.unwrap_or(default)
}

/// Seconds as the clock takes them: at most a day, also where an older plan says more.
pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.min(DAY_S)).unwrap_or_default()
}

pub(super) fn whole(instrument: &Instrument, option: &str, default: u64) -> u64 {
    number(instrument, option, default as f64) as u64
}

pub(super) fn text<'a>(instrument: &'a Instrument, option: &str) -> Option<&'a str> {
    instrument.options.get(option).and_then(Value::as_str)
}

/// Why an instrument is not there in this build.
pub(super) fn left_out(feature: &str) -> String {
    format!("this build of Fairtrial lacks the feature `{feature}`")
}
