//! `noop`: does nothing, so that its duration is what the harness itself adds to an iteration.

use crate::configured::{About, Configured};
use fairtrial_experiment::{Context, Experiment, Failure, Metrics, Registration};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Knobs {}

struct Noop;

impl Configured for Noop {
    type Params = Knobs;

    fn new(Knobs {}: Knobs) -> Self {
        Self
    }
}

impl Experiment for Noop {
    fn execute_once(&mut self, _: &mut Context) -> Result<Metrics, Failure> {
        Ok(Metrics::new())
    }
}

pub(crate) fn registration() -> Registration {
    About {
        slug: "noop",
        summary: "Does nothing: its duration is what the harness adds to every iteration.",
        tags: &["harness"],
        params: Vec::new(),
    }
    .registration::<Noop>()
}
