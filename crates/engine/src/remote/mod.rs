//! Trials beyond this machine: a controller that hands chunks to a scheduler and takes records back, over one contract
//! that every scheduler fulfils.

mod command;
pub mod contract;
pub(crate) mod controller;
mod handing;
mod judging;
mod open;
mod packing;
mod script;
mod skypilot;
mod slurm;
mod template;

pub use command::CommandError;

use crate::chunk::{ChunkDir, Given};
use contract::{Batch, Engine, PlaceError, Submitted};
use fairtrial_journal::{BatchInfo, RunDir, RunState};
use fairtrial_plan::Plan;
use fairtrial_spec::{EngineKind, Spec};
use packing::Packing;
use std::path::{Path, PathBuf};

/// The jobs of a run that are with a scheduler: which, and how many.
pub fn open_jobs(run: &RunDir, known: &RunState) -> Option<(String, usize)> {
    let open = |info: &BatchInfo| {
        let chunks = info.chunks.clone();
        let open = chunks.filter(|number| {
            let place = (info.number, number - info.chunks.start);
            open::OpenChunk::adopt(run, known, *number, place).is_some()
        });
        (info.engine.clone(), open.count())
    };
    let found: Vec<_> = known
        .batches
        .iter()
        .map(open)
        .filter(|(_, jobs)| *jobs > 0)
        .collect();
    let jobs = found.iter().map(|(_, jobs)| jobs).sum();
    found.into_iter().next().map(|(engine, _)| (engine, jobs))
}

/// What the job wrote that ran an attempt; absent where no job did.
pub fn job_log(
    run: &RunDir,
    known: &RunState,
    spec: &Spec,
    program: &Path,
    (index, attempt): (u64, u32),
) -> Result<Option<String>, PlaceError> {
    let Some(engine) = engine_for(spec, &run.root().rollouts_dir(), program)? else {
        return Ok(None);
    };
    let given = Given { index, attempt };
    for info in known.batches.iter().rev() {
        for number in info.chunks.clone() {
            let holds = ChunkDir::of(run, number)
                .read()
                .is_ok_and(|chunk| chunk.trials.contains(&given));
            if holds {
                let batch = Submitted {
                    key: info.key.clone(),
                    handle: info.handle.clone(),
                    elements: info.chunks.end - info.chunks.start,
                    folder: run.chunks(),
                };
                return engine.logs(&batch, number - info.chunks.start).map(Some);
            }
        }
    }
    Ok(None)
}

/// What a run of this plan would write and submit first, without asking the scheduler anything; absent for this machine.
pub fn preview(
    plan: &Plan,
    rollouts: &Path,
    program: &Path,
    parallel: Option<u64>,
) -> Result<Option<String>, PlaceError> {
    let spec = plan.spec();
    let Some(engine) = engine_for(spec, rollouts, program)? else {
        return Ok(None);
    };
    let packing = Packing {
        plan,
        engine: &spec.engine,
        places: parallel,
        expected_s: None,
    };
    let given: Vec<Given> = (0..plan.len())
        .map(|index| Given { index, attempt: 1 })
        .collect();
    let loads = packing.pack(&given);
    let needs = loads
        .first()
        .map(|load| load.needs.clone())
        .unwrap_or_default();
    let jobs = loads.iter().take_while(|load| load.needs == needs).count() as u64;
    let run = rollouts.join(&spec.name).join("STAMP");
    let batch = Batch {
        key: "ft-STAMP-0".to_owned(),
        chunks: 0..jobs,
        needs,
        parallel,
        folder: run.join("chunks"),
        plan: run.join("plan.json"),
        workdir: PathBuf::from(&spec.base_dir),
    };
    engine.preview(&batch).map(Some)
}

/// The engine that a spec asks for; absent for this machine. `folder` is where runs lie, which nodes must see.
pub fn engine_for(
    spec: &Spec,
    folder: &Path,
    program: &Path,
) -> Result<Option<Box<dyn Engine>>, PlaceError> {
    let engine = &spec.engine;
    let program = engine
        .program
        .as_ref()
        .map_or_else(|| program.to_owned(), PathBuf::from);
    Ok(match engine.kind {
        EngineKind::Local => None,
        EngineKind::Slurm => Some(Box::new(slurm::Slurm::new(&engine.slurm, &program, folder))),
        EngineKind::Template => Some(Box::new(template::Template::new(
            &engine.template,
            &program,
        )?)),
        EngineKind::Skypilot => Some(Box::new(skypilot::Skypilot::new(
            &engine.skypilot,
            &program,
            Path::new(&spec.base_dir),
        ))),
    })
}
