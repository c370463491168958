//! Says once, at the end of a run, where the steps of its series were found, where nobody named them.

use crate::notice::Notice;
use crate::session::Session;
use fairtrial_journal::{JournalError, RunDir, RunState, effective_records};
use fairtrial_model::{MetricDeclaration, Record, is_plain_step};
use fairtrial_spec::Spec;

/// Records that are looked at: trials of one spec log alike.
const LOOKED_AT: usize = 100;

/// Why no more records are read.
enum Stop {
    Enough,
    Journal,
}

impl From<JournalError> for Stop {
    fn from(_: JournalError) -> Self {
        Self::Journal
    }
}

impl Session {
    /// Tells which name was taken for the step of each metric, where the spec names none and the name could mean
    /// something else.
    pub(super) fn tell_steps(&self, run: &RunDir, state: &RunState, spec: &Spec) {
        let mut open: Vec<&MetricDeclaration> = spec
            .metrics
            .iter()
            .filter(|metric| metric.step.is_none())
            .collect();
        let mut looked_at = 0;
        let mut look = |record: Record| {
            open.retain(|metric| {
                let series = record.series.get(&metric.name);
                let Some((series, name)) = series.and_then(|one| Some((one, one.step.clone()?)))
                else {
                    return true;
                };
                if !is_plain_step(&name) {
                    self.tell(Notice::StepsFrom {
                        metric: metric.name.clone(),
                        file: series.file.clone(),
                        name,
                    });
                }
                false
            });
            looked_at += 1;
            if open.is_empty() || looked_at == LOOKED_AT {
                return Err(Stop::Enough);
            }
            Ok(())
        };
        if spec.metrics.iter().any(|metric| metric.step.is_none()) {
            // What cannot be read here is told by whoever makes the summary.
            let _ = effective_records(&run.journal(), state, &mut look);
        }
    }
}
