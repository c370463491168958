//! The course of a trial with an experiment: setup, warm-ups, measured iterations, profiled ones, teardown, results.

mod calibrate;
mod iterate;
mod session;

use crate::course::Course;
use crate::instruments::observer::InstrumentFinding;
use crate::instruments::perf::Perf;
use crate::instruments::{Observers, WorkerProfile};
use crate::request::{DriveTask, DriveTrial};
use crate::result::{Ending, Status};
use crate::samples::Samples;
use crate::tools::{DriveError, Tools};
use crate::trouble::Trouble;
use crate::worker::{Heard, Lost, WorkerProcess, command_for};
use crate::{artifacts, outputs};
use fairtrial_experiment::protocol::{InstrumentRequest, Reply, Request, Setup, VERSION};
use fairtrial_experiment::{Origin, Phase};
use iterate::Iterations;
use serde_json::{Map, Value};
use session::{Session, unexpected};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long a worker whose trial is being ended may take to clean up.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How a trial's experiment ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driven {
    /// Whether everything succeeded.
    pub succeeded: bool,
    /// What went wrong, where something did, with the place in the experiment's code.
    pub trouble: Option<String>,
}

/// Runs the experiment of one trial and writes everything it leaves.
pub fn drive(task: &DriveTask, trial: &DriveTrial, tools: &Tools) -> Result<Driven, DriveError> {
    let samples = Samples::create(&trial.dir).map_err(DriveError::io(&trial.dir));
    let driven = samples.and_then(|samples| run(task, trial, tools, samples));
    if let Err(error) = &driven {
        // Results that found no place, and a worker that never ran, say nothing about the experiment.
        outputs::blame_the_machine(&trial.dir, error);
    }
    driven
}

fn run(
    task: &DriveTask,
    trial: &DriveTrial,
    tools: &Tools,
    samples: Samples,
) -> Result<Driven, DriveError> {
    let folder = trial.dir.join("artifacts");
    fs::create_dir_all(&folder).map_err(DriveError::io(&folder))?;
    let mut session = Session {
        task,
        trial,
        tools,
        samples,
        artifacts: folder,
        named: Vec::new(),
        findings: Vec::new(),
        params: Map::new(),
        versions: Map::new(),
        course: Course::asked(task),
        broken: None,
    };
    let started_at = (tools.now)();
    let mut troubles = session.run()?;
    for trouble in &mut troubles {
        trouble.redact(&tools.environment);
    }
    // The first is what the trial failed of; what went wrong after it is in the log.
    for later in troubles.iter().skip(1) {
        (tools.say)(&later.whole());
    }
    for finding in &session.findings {
        if let Some(why) = &finding.absent {
            (tools.say)(&format!("instrument {}: absent: {why}", finding.name));
        }
    }
    let status = match &troubles[..] {
        [] => Status::Success,
        [first, ..] if first.stopped => Status::Ended,
        _ => Status::Failed,
    };
    let trouble = (!troubles.is_empty()).then(|| troubles.swap_remove(0));
    let told = trouble.as_ref().map(Trouble::whole);
    let Session {
        samples,
        named,
        findings,
        params,
        versions,
        course,
        ..
    } = session;
    let (artifacts, remarks) = artifacts::kept(named, &trial.dir, &task.output_dir);
    let ending = Ending {
        status,
        trouble,
        params: if params.is_empty() {
            trial
                .params
                .iter()
                .map(|(k, v)| (k.to_owned(), v.clone()))
                .collect()
        } else {
            params
        },
        versions,
        course,
        samples: samples.finish().map_err(DriveError::io(&trial.dir))?,
        artifacts,
        remarks,
        findings,
        started_at,
        ended_at: (tools.now)(),
    };
    outputs::write(task, trial, tools, &ending)?;
    Ok(Driven {
        succeeded: status == Status::Success,
        trouble: told,
    })
}

impl Session<'_> {
    /// The whole course; what went wrong comes back, the first thing first.
    fn run(&mut self) -> Result<Vec<Trouble>, DriveError> {
        let DriveTask {
            origin,
            sources,
            base_dir,
            ..
        } = self.task;
        let mut command = command_for(origin, sources, base_dir, &self.tools.program);
        if let Origin::Python { .. } = origin {
            // Iteration orders that depend on hashes repeat under the same seed and differ between seeds.
            let seed = self.trial.key.own_seed() % (u64::from(u32::MAX) + 1);
            if !self
                .tools
                .environment
                .iter()
                .any(|(name, _)| name == "PYTHONHASHSEED")
            {
                command.env("PYTHONHASHSEED", seed.to_string());
            }
        }
        let program = command.get_program().display().to_string();
        let mut worker = WorkerProcess::start(command)
            .map_err(|source| DriveError::Start { program, source })?;
        let mut troubles: Vec<Trouble> = self.work(&mut worker).err().into_iter().collect();
        match troubles.first() {
            Some(trouble) if trouble.stopped => {
                // It was told to end as well; what it can still clean up it does now.
                let _ = worker.hear_within(&AtomicBool::new(false), Some(LAST_WORDS));
                worker.kill();
            }
            Some(trouble) if trouble.worker_lost => worker.kill(),
            _ => {
                let torn_down = worker
                    .ask(&Request::Teardown)
                    .map_err(|lost| Trouble::lost("teardown", &lost, None))
                    .and_then(|()| self.until_done(&mut worker, "teardown"));
                troubles.extend(torn_down.err());
                worker.end();
            }
        }
        self.broken.take().map_or(Ok(troubles), Err)
    }

    fn work(&mut self, worker: &mut WorkerProcess) -> Result<(), Trouble> {
        self.set_up(worker)?;
        self.course = self.warm_up(worker)?;
        let instruments = &self.task.instruments;
        let (observers, absent) = Observers::start(instruments, worker.pid(), &self.artifacts);
        self.findings.extend(absent);
        let asked = Iterations::new(Phase::Measured, self.course.measured);
        let outcome = self.iterate(worker, asked.inside(self.course.inner));
        let found = observers.stop(self.samples.kept(), &self.artifacts);
        self.findings.extend(found);
        outcome?;
        self.profile(worker)
    }

    /// Iterations under profilers come after the measured ones, so that none of them is in a measured time.
    fn profile(&mut self, worker: &mut WorkerProcess) -> Result<(), Trouble> {
        let instruments = &self.task.instruments;
        let asked = WorkerProfile::asked(instruments, &self.task.origin);
        self.iterate(worker, Iterations::new(Phase::Profiled, asked.iterations))?;
        asked.complete(&mut self.findings);
        match Perf::start(instruments, worker.pid(), &self.artifacts) {
            Some(Ok(perf)) => {
                let once = Iterations::new(Phase::Warmup, 1);
                let mut outcome = self.iterate(worker, once);
                while outcome.is_ok() && perf.wants_more() {
                    outcome = self.iterate(worker, once);
                }
                self.findings.push(perf.finish(&self.artifacts));
                outcome.map(drop)
            }
            Some(Err(absent)) => {
                self.findings.push(absent);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn set_up(&mut self, worker: &mut WorkerProcess) -> Result<(), Trouble> {
        let DriveTask {
            experiment,
            instruments,
            run,
            output_dir,
            ..
        } = self.task;
        let instruments = instruments.iter().map(|on| InstrumentRequest {
            name: on.name.clone(),
            options: owned(&on.options),
        });
        let setup = Setup {
            protocol: VERSION,
            experiment: experiment.clone(),
            params: owned(&self.trial.params),
            seed: self.trial.key.own_seed(),
            run: run.clone(),
            trial: self.trial.name.clone(),
            dir: self.trial.dir.clone(),
            output_dir: output_dir.clone(),
            instruments: instruments.collect(),
        };
        let lost = |lost| Trouble::lost("setup", &lost, None);
        worker.ask(&Request::Setup(Box::new(setup))).map_err(lost)?;
        loop {
            let heard = worker.hear(&self.tools.stop).map_err(lost)?;
            match self.common(heard, "setup")? {
                Some(Heard {
                    reply: Reply::Ready { params, versions },
                    ..
                }) => {
                    (self.params, self.versions) = (params, versions);
                    return Ok(());
                }
                Some(heard) => return Err(lost(unexpected(&heard))),
                None => {}
            }
        }
    }

    fn until_done(
        &mut self,
        worker: &mut WorkerProcess,
        phase: &'static str,
    ) -> Result<(), Trouble> {
        loop {
            let lost = |lost: &Lost| Trouble::lost(phase, lost, None);
            let heard = worker
                .hear(&self.tools.stop)
                .map_err(|error| lost(&error))?;
            match self.common(heard, phase)? {
                Some(Heard {
                    reply: Reply::Done, ..
                }) => return Ok(()),
                Some(heard) => return Err(lost(&unexpected(&heard))),
                None => {}
            }
        }
    }

    /// What may come at any time is dealt with here; the rest is given back.
    fn common(&mut self, heard: Heard, phase: &'static str) -> Result<Option<Heard>, Trouble> {
        match heard.reply {
            Reply::Log { text } => {
                (self.tools.say)(&text);
                Ok(None)
            }
            Reply::Artifact(mut artifact) => {
                if let Ok(below) = Path::new(&artifact.path).strip_prefix(&self.trial.dir) {
                    artifact.path = below.display().to_string();
                }
                self.named.push(artifact);
                Ok(None)
            }
            Reply::Finding {
                instrument: name,
                summary,
                absent,
            } => {
                self.findings.push(InstrumentFinding {
                    name,
                    summary,
                    absent,
                    ..InstrumentFinding::default()
                });
                Ok(None)
            }
            Reply::Error {
                message,
                trace,
                index,
            } => Err(Trouble {
                phase,
                message,
                iteration: index,
                trace,
                worker_lost: false,
                stopped: false,
            }),
            _ => Ok(Some(heard)),
        }
    }
}

fn owned(params: &fairtrial_model::Params) -> Map<String, Value> {
    params
        .iter()
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests;
