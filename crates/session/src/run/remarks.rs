//! What a run's records say about the run itself, told once at its end: where the steps of its series were found, where
//! nobody named them, and whether its trials waited for a CPU.

use crate::notice::Notice;
use crate::session::Session;
use fairtrial_journal::{JournalError, RunDir, RunState, effective_records};
use fairtrial_model::{MetricDeclaration, Record, is_plain_step};
use fairtrial_spec::Spec;

/// Records that are looked at: trials of one spec are alike.
const LOOKED_AT: usize = 100;
/// The share of their time that trials may wait for a CPU before it is worth a word.
const MUCH: f64 = 0.2;
/// Seconds of trials below which nothing can be said about their waiting.
const LEAST_WALL_S: f64 = 1.0;

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
    /// Tells what the first records of a run say about it.
    pub(super) fn tell_remarks(&self, run: &RunDir, state: &RunState, spec: &Spec) {
        let mut records = Vec::new();
        // What cannot be read here is told by whoever makes the summary.
        let _ = effective_records(&run.journal(), state, |record| {
            records.push(record);
            if records.len() == LOOKED_AT {
                Err(Stop::Enough)
            } else {
                Ok(())
            }
        });
        self.tell_steps(&records, spec);
        self.tell_waiting(&records);
    }

    /// Which name was taken for the step of each metric, where the spec names none and the name could mean something else.
    fn tell_steps(&self, records: &[Record], spec: &Spec) {
        let unnamed = spec.metrics.iter().filter(|metric| metric.step.is_none());
        let found = |metric: &MetricDeclaration| {
            let mut series = records.iter().filter_map(|it| it.series.get(&metric.name));
            series.find_map(|series| Some((series.file.clone(), series.step.clone()?)))
        };
        for metric in unnamed {
            if let Some((file, name)) = found(metric).filter(|(_, name)| !is_plain_step(name)) {
                self.tell(Notice::StepsFrom {
                    metric: metric.name.clone(),
                    file,
                    name,
                });
            }
        }
    }

    /// Whether trials waited much for a CPU: their times are then about each other, and threads were probably too many.
    fn tell_waiting(&self, records: &[Record]) {
        let ran_here = records.iter().filter(|record| record.reused_from.is_none());
        let known = ran_here.filter_map(|record| {
            let used = &record.resources;
            Some((used.run_queue_delay?, used.wall?))
        });
        let (waited, wall) = known.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if wall >= LEAST_WALL_S && waited > MUCH * wall {
            self.tell(Notice::WaitedForCpu {
                share: waited / wall,
            });
        }
    }
}
