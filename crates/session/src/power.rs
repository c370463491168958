//! How many runs a difference needs, from a pilot run.

use crate::error::SessionError;
use crate::find::RunChoice;
use crate::session::Session;
use fairtrial_analysis::Dataset;
use fairtrial_analysis::power::{Pilot, PilotQuestion};
use fairtrial_journal::resolved_spec;

/// A pilot, and the error rate that its spec declares.
#[derive(Debug)]
pub struct PilotRun {
    /// Its values.
    pub pilot: Pilot,
    /// Two-sided error rate.
    pub alpha: f64,
}

impl Session {
    /// Reads a pilot run; its spec says which metric, where the question does not.
    pub fn pilot(
        &self,
        run: &RunChoice,
        mut question: PilotQuestion,
    ) -> Result<PilotRun, SessionError> {
        let run = self.find_run(run)?;
        let spec = resolved_spec(&run)?;
        let mut data = Dataset::from_run(&run, &spec, None)?;
        self.tell_problems(&data.label, std::mem::take(&mut data.problems));
        question.metric = question.metric.or_else(|| spec.analysis.metric.clone());
        Ok(PilotRun {
            pilot: Pilot::from_dataset(&data, &question)?,
            alpha: spec.analysis.alpha(),
        })
    }
}
