//! Iterations that the worker is asked for, and the samples that it answers with.

use super::session::{Session, unexpected};
use crate::tools::DriveError;
use crate::trouble::Trouble;
use crate::worker::{Heard, Lost, WorkerProcess};
use fairtrial_experiment::Phase;
use fairtrial_experiment::protocol::{Reply, Request, SAMPLES_FILE, Sample, unfit};

/// Iterations to ask for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Iterations {
    phase: Phase,
    count: u64,
    /// Executions inside each; absent: one.
    inner: Option<u64>,
}

impl Iterations {
    pub(super) fn new(phase: Phase, count: u64) -> Self {
        Self {
            phase,
            count,
            inner: None,
        }
    }

    /// With so many executions inside each.
    pub(super) fn inside(self, inner: u64) -> Self {
        let inner = (inner > 1).then_some(inner);
        Self { inner, ..self }
    }
}

impl Session<'_> {
    /// Asks for iterations and keeps the samples of measured ones; those of warm-ups are given back. A worker that answers
    /// with others than it was asked for has not measured what the spec says: that is no result.
    pub(super) fn iterate(
        &mut self,
        worker: &mut WorkerProcess,
        iterations: Iterations,
    ) -> Result<Vec<Sample>, Trouble> {
        let Iterations {
            phase,
            count,
            inner,
        } = iterations;
        let mut unkept = Vec::new();
        if count == 0 {
            return Ok(unkept);
        }
        let name = match phase {
            Phase::Warmup => "warmup",
            Phase::Measured => "measured",
            Phase::Profiled => "profiled",
        };
        let asked = if phase == Phase::Profiled { 0 } else { count };
        let mut next = 0;
        worker
            .ask(&Request::Iterate {
                phase,
                first: 0,
                count,
                inner,
            })
            .map_err(|lost| Trouble::lost(name, &lost, Some(next)))?;
        loop {
            let lost = |lost: &Lost| Trouble::lost(name, lost, Some(next));
            let heard = worker
                .hear(&self.tools.stop)
                .map_err(|error| lost(&error))?;
            match self.common(heard, name)? {
                Some(Heard {
                    reply: Reply::Sample(sample),
                    line,
                }) => {
                    if next == asked || sample.index != next {
                        return Err(lost(&Lost::Amiss(not_asked(sample.index, next, asked))));
                    }
                    if let Some(why) = unfit(&sample.metrics) {
                        return Err(lost(&Lost::Unfit(why)));
                    }
                    if phase == Phase::Measured {
                        self.keep(*sample, &line)
                            .map_err(|error| lost(&Lost::Io(error)))?;
                    } else {
                        unkept.push(*sample);
                    }
                    next += 1;
                }
                Some(Heard {
                    reply: Reply::Done, ..
                }) if next == asked => return Ok(unkept),
                Some(Heard {
                    reply: Reply::Done, ..
                }) => {
                    let few = Lost::Amiss(format!("it was done after {next} of {asked} samples"));
                    // It waits for the next request: it can still tear down.
                    return Err(Trouble {
                        worker_lost: false,
                        ..lost(&few)
                    });
                }
                Some(heard) => return Err(lost(&unexpected(&heard))),
                None => {}
            }
        }
    }

    /// Keeps a sample. Where it finds no place, the machine is to blame, and no more are asked for.
    fn keep(&mut self, sample: Sample, line: &[u8]) -> Result<(), String> {
        self.samples.push(sample, line).map_err(|source| {
            let path = self.trial.dir.join(SAMPLES_FILE);
            let error = DriveError::Io { path, source };
            let message = error.to_string();
            self.broken = Some(error);
            message
        })
    }
}

/// What is wrong with a sample that is not the next of those that were asked for.
fn not_asked(index: u64, next: u64, asked: u64) -> String {
    match asked {
        0 => format!("it sent a sample (index {index}) and none was asked for"),
        _ if next == asked => {
            format!("it sent a sample (index {index}) after all {asked} that were asked for")
        }
        _ => format!("it sent a sample with index {index} where {next} of {asked} is the next"),
    }
}
