//! What is looked at before a session begins: the engine, what earlier sessions left, the environment.

use crate::error::EngineError;
use crate::remote;
use crate::remote::contract::ProbedEngine;
use crate::request::{RunRequest, Start};
use crate::rollout::task_cache;
use fairtrial_agent::adapter::known_program;
use fairtrial_agent::baseline::Baseline;
use fairtrial_journal::provenance::{Capture, CaptureOptions, VcsLook};
use fairtrial_journal::{RunDir, RunState, is_there, resolved_spec};
use fairtrial_plan::Plan;
use fairtrial_spec::{SandboxKind, Spec, Work};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The engine of the run, looked at before anything is made; absent for this machine.
pub(super) fn probe(request: &RunRequest) -> Result<Option<Arc<ProbedEngine>>, EngineError> {
    let folder = request.root.rollouts_dir();
    let Some(engine) = remote::engine_for(request.plan.spec(), &folder, &request.program)? else {
        return Ok(None);
    };
    let probe = engine.probe()?;
    let mut probed = ProbedEngine { engine, probe };
    if let Start::New { .. } = &request.start {
        let parallel = request.parallel.map(|limit| limit as u64);
        remote::rehearse(&mut probed, &request.plan, &folder, parallel)?;
    }
    Ok(Some(Arc::new(probed)))
}

/// Trials that are with a scheduler must not run here as well.
pub(super) fn refuse_open_jobs(run: &RunDir, known: &RunState) -> Result<(), EngineError> {
    match remote::open_jobs(run, known) {
        None => Ok(()),
        Some((engine, jobs)) => Err(EngineError::OtherEngine { engine, jobs }),
    }
}

/// What an earlier session left, after a check that the plan is still the same.
pub(super) fn recorded(run: &RunDir, request: &RunRequest) -> Result<RunState, EngineError> {
    if !is_there(&run.journal())? {
        return Ok(RunState::default());
    }
    let known = RunState::read(&run.journal())?;
    let holds_lines = known.summary.intact + known.summary.corrupt > 0;
    if known.opened.is_none() && holds_lines {
        // Without it nobody can tell whether the records are of this plan.
        return Err(EngineError::Damaged {
            path: run.journal().display().to_string(),
            message: "its first line, which says what the run is, is damaged: bring the file back from a copy, or \
                      start a new run with `--reuse`, which keeps the records whose trials are unchanged"
                .to_owned(),
        });
    }
    if known.is_half_scored() {
        return Err(EngineError::HalfScored {
            name: run.name().to_owned(),
            stamp: run.stamp(),
        });
    }
    if known.is_half_measured() {
        return Err(EngineError::HalfMeasured {
            name: run.name().to_owned(),
            stamp: run.stamp(),
        });
    }
    if let Some(opened) = &known.opened
        && known.plan_hash() != Some(request.plan.hash())
    {
        let before = Plan::new(Arc::new(resolved_spec(run)?), opened.only.as_deref())?;
        let change = Box::new(request.plan.changes_since(&before));
        return Err(EngineError::SpecChanged {
            stamp: run.stamp(),
            change,
        });
    }
    Ok(known)
}

pub(super) fn capture(
    run: &RunDir,
    request: &RunRequest,
    commit: Option<Arc<VcsLook>>,
) -> Result<Option<Capture>, EngineError> {
    if run.root().is_passing() || is_there(&run.environment())? {
        return Ok(None);
    }
    let spec = request.plan.spec();
    let options = CaptureOptions {
        source_dir: PathBuf::from(&spec.base_dir),
        data_root: request.root.path().to_owned(),
        environment: request.environment.clone(),
        variables: spec.provenance.env.clone(),
        programs: agent_programs(spec, run),
        version: request.version.clone(),
        now: (request.now)(),
        vcs: commit,
    };
    Ok(Some(Capture::start(options)))
}

/// The programs of agents that this machine runs; those in an image belong to the image.
fn agent_programs(spec: &Spec, run: &RunDir) -> Vec<String> {
    let in_arms = spec.arms.iter().filter_map(|arm| arm.params.get("agent"));
    let in_arms: Vec<&str> = in_arms.filter_map(Value::as_str).collect();
    let mut programs = BTreeSet::new();
    for task in &spec.tasks {
        let Work::Prepared {
            options, digest, ..
        } = &task.work
        else {
            continue;
        };
        let kind = options.sandbox.kind;
        let is_elsewhere = matches!(
            kind,
            Some(SandboxKind::Podman | SandboxKind::Docker | SandboxKind::Modal)
        );
        let is_contained = || {
            let cache = task_cache(run.root());
            let digest = digest.as_ref()?;
            Some(
                Baseline::of(&cache, digest)
                    .task()
                    .ok()?
                    .contained
                    .is_some(),
            )
        };
        if is_elsewhere || is_contained().unwrap_or(false) {
            continue;
        }
        let own = task.params.get("agent").and_then(Value::as_str);
        let names = [options.agent.name.as_str()].into_iter();
        let names = names.chain(own).chain(in_arms.iter().copied());
        programs.extend(names.filter_map(known_program).map(str::to_owned));
    }
    programs.into_iter().collect()
}
