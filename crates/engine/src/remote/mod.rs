//! Trials beyond this machine: a controller that hands chunks to a scheduler and takes records back, over one contract
//! that every scheduler fulfils.

mod adopt;
mod cancel;
mod command;
pub mod contract;
mod health;
mod jobs_file;
mod kubernetes;
mod leftovers;
mod lost_chunks;
mod open_chunk;
mod pack;
mod poll;
mod question;
pub(crate) mod remote_run;
mod resubmit;
mod script;
mod skypilot;
mod slurm;
mod stored;
mod submit;
mod survey;
mod template;

pub use command::CommandError;
pub use jobs_file::JobsFile;
pub use leftovers::{Leftovers, end_leftovers};
pub use stored::{examine as examine_store, unique as unique_text, unusable as unusable_store};
pub use survey::{EngineOffer, survey};

use crate::attempt_id::AttemptId;
use crate::chunk::{ChunkDir, Revoked};
use contract::{Batch, Engine, PlaceError, ProbedEngine, Submitted};
use fairtrial_journal::{BatchInfo, RunDir, RunState};
use fairtrial_plan::Plan;
use fairtrial_spec::{Budget, EngineKind, EngineSpec, Spec};
use open_chunk::{Element, OpenChunk};
use pack::Packing;
use std::path::{Path, PathBuf};

/// Reads a text as every answer of a scheduler that there is, for tests with broken ones.
#[doc(hidden)]
pub fn read_answer(text: &str) {
    slurm::read_any(text);
    skypilot::read_any(text);
    kubernetes::read_any(text);
}

/// The jobs of a run that are with a scheduler: which, and how many.
pub fn open_jobs(run: &RunDir, known: &RunState) -> Option<(String, usize)> {
    let open = |info: &BatchInfo| {
        let chunks = info.chunks.clone();
        let open = chunks.filter(|number| {
            let element = Element::of(info, *number);
            // One that cannot be read may be running.
            !matches!(OpenChunk::adopt(run, known, *number, element), Ok(None))
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

/// Attempts that were given out and taken back before they began, where a cap counts attempts: they were not run. One
/// of which the system does not say so counts as run.
pub(crate) fn never_begun(run: &RunDir, known: &RunState, budget: &Budget) -> u64 {
    if budget.trials.is_none() {
        return 0;
    }
    let chunks = known.batches.iter().flat_map(|info| info.chunks.clone());
    let dirs = chunks.map(|number| ChunkDir::of(run, number));
    let taken_back = dirs.filter(|dir| dir.revoked() == Some(Revoked::Closed));
    let unbegun = taken_back.filter_map(|dir| {
        let chunk = dir.read().ok()?;
        let idle = |id: &&AttemptId| {
            let recorded = dir.has_record(**id).unwrap_or(true);
            !recorded && !run.trial_dir(id.index, id.attempt).exists()
        };
        Some(chunk.trials.iter().filter(idle).count() as u64)
    });
    unbegun.sum()
}

/// What the job wrote that ran an attempt; absent where no job did.
pub fn job_log(
    run: &RunDir,
    known: &RunState,
    spec: &Spec,
    program: &Path,
    attempt: AttemptId,
) -> Result<Option<String>, PlaceError> {
    let Some(engine) = engine_for(spec, &run.root().rollouts_dir(), program)? else {
        return Ok(None);
    };
    for info in known.batches.iter().rev() {
        for number in info.chunks.clone() {
            let holds = ChunkDir::of(run, number)
                .read()
                .is_ok_and(|chunk| chunk.trials.contains(&attempt));
            if holds {
                let batch = Submitted::of(run, info);
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
    let Some(engine) = engine_for(plan.spec(), rollouts, program)? else {
        return Ok(None);
    };
    let mut batches = first_batches(plan, rollouts, parallel);
    for batch in &mut batches {
        batch.parallel = parallel;
    }
    batches
        .first()
        .map(|batch| engine.preview(batch))
        .transpose()
}

/// Asks the scheduler whether it would take what a run of this plan will submit.
pub(crate) fn rehearse(
    probed: &mut ProbedEngine,
    plan: &Plan,
    rollouts: &Path,
    parallel: Option<u64>,
) -> Result<(), PlaceError> {
    let most = probed.probe.max_elements.max(1);
    for mut batch in first_batches(plan, rollouts, parallel.or(probed.probe.places)) {
        batch.chunks.end = batch.chunks.end.min(batch.chunks.start + most);
        let warning = probed.engine.rehearse(&batch)?;
        probed.probe.warnings.extend(warning);
    }
    Ok(())
}

/// The first submission of each kind of job that a plan gives, under names that no run has. All trials are packed, as
/// the run itself will: a part of them would be packed otherwise, and give other jobs.
fn first_batches(plan: &Plan, rollouts: &Path, places: Option<u64>) -> Vec<Batch> {
    let spec = plan.spec();
    let packing = Packing {
        plan,
        engine: &spec.engine,
        places,
        expected_s: None,
    };
    let id: Vec<AttemptId> = (0..plan.len())
        .map(|index| AttemptId { index, attempt: 1 })
        .collect();
    let run = rollouts.join(&spec.name).join("STAMP");
    let mut batches: Vec<Batch> = Vec::new();
    for load in packing.pack(&id) {
        if let Some(known) = batches.iter_mut().find(|known| known.needs == load.needs) {
            known.chunks.end += 1;
            continue;
        }
        batches.push(Batch {
            key: format!("ft-STAMP-{}", batches.len()),
            chunks: 0..1,
            needs: load.needs,
            parallel: None,
            beat_s: beat_s(&spec.engine),
            folder: run.join("chunks"),
            plan: run.join("plan.json"),
            workdir: PathBuf::from(&spec.base_dir),
            store: stored::shown(&spec.engine),
        });
    }
    batches
}

/// Seconds between two signs of life of a job: several within the time after which silence counts.
fn beat_s(engine: &EngineSpec) -> f64 {
    // Each costs money where a store is between.
    let most = if engine.store.is_some() { 30.0 } else { 10.0 };
    (engine.grace_s / 10.0).clamp(0.5, most)
}

/// The engine that a spec asks for; absent for this machine. `folder` is where runs lie, which nodes must see.
pub fn engine_for(
    spec: &Spec,
    folder: &Path,
    program: &Path,
) -> Result<Option<Box<dyn Engine>>, PlaceError> {
    let engine = &spec.engine;
    let program_is_named = engine.program.is_some();
    let program = engine
        .program
        .as_ref()
        .map_or_else(|| program.to_owned(), PathBuf::from);
    let found: Option<Box<dyn Engine>> = match engine.kind {
        EngineKind::Local => None,
        EngineKind::Slurm => Some(Box::new(slurm::Slurm::new(&engine.slurm, &program, folder))),
        EngineKind::Template => Some(Box::new(template::Template::new(
            &engine.described(),
            &program,
        )?)),
        EngineKind::Skypilot => Some(Box::new(skypilot::Skypilot::new(
            &engine.skypilot,
            &program,
            Path::new(&spec.base_dir),
        ))),
        EngineKind::Kubernetes => {
            let places = kubernetes::Places {
                data: folder.to_owned(),
                base_dir: PathBuf::from(&spec.base_dir),
                program_is_named,
            };
            Some(Box::new(kubernetes::Kubernetes::new(
                &engine.kubernetes,
                &program,
                places,
            )))
        }
    };
    match (found, &engine.store) {
        (Some(inner), Some(store)) if engine.kind != EngineKind::Skypilot => {
            let stored = stored::Stored::over(inner, store, spec, folder)?;
            Ok(Some(Box::new(stored)))
        }
        (found, _) => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::first_batches;
    use fairtrial_plan::Plan;
    use fairtrial_spec::{Format, LoadOptions, load_text};
    use std::path::Path;
    use std::sync::Arc;

    /// The kinds of jobs of a plan, by how many there are.
    fn jobs(text: &str, places: Option<u64>) -> Vec<u64> {
        let loaded = load_text("test.toml", text, Format::Toml, &LoadOptions::default());
        let spec = loaded.spec.unwrap();
        let plan = Plan::new(Arc::new(spec), None).unwrap();
        let batches = first_batches(&plan, Path::new("rollouts"), places);
        batches
            .iter()
            .map(|batch| batch.chunks.end - batch.chunks.start)
            .collect()
    }

    #[test]
    fn a_large_plan_is_shown_with_all_its_jobs() {
        let large = "order = \"spec\"\nseeds = 11000\n[engine]\npack = 1\n[[tasks]]\nid = \"a\"\ncommand = \"p\"\n\
             [[tasks]]\nid = \"b\"\ncommand = \"q\"\nresources = { cpus = 4 }\n";
        assert_eq!(
            jobs(large, None),
            [11_000, 11_000],
            "also those far down in the plan"
        );
        // What is packed together depends on how many trials there are.
        let packed = large.replace("pack = 1\n", "");
        assert_eq!(jobs(&packed, Some(50)), [100, 100]);
    }
}
