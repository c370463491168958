//! What stands in a run's directory before its first trial: the spec, the plan, the environment.

use crate::error::EngineError;
use crate::request::RunRequest;
use fairtrial_journal::{
    Durability, Event, JournalError, RunDir, resolved_spec, write_atomic, write_atomic_bytes,
};
use fairtrial_model::{Sha256, UtcTime, hex};
use fairtrial_plan::{PLAN_VERSION, Plan};
use fairtrial_spec::Spec;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// Head of `plan.json`.
#[derive(Serialize)]
struct PlanHead<'a> {
    schema: u32,
    plan_hash: &'a str,
    order: fairtrial_spec::Order,
    order_seed: u64,
    count: u64,
}

/// One trial of `plan.json`.
#[derive(Serialize)]
struct PlanRow<'a> {
    #[serde(flatten)]
    key: &'a fairtrial_model::TrialKey,
    id: &'a fairtrial_model::TrialId,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    command: Vec<String>,
}

/// Writes the spec (text and resolved form) and the plan of a new run.
pub(crate) fn write_run_files(run: &RunDir, request: &RunRequest) -> Result<(), EngineError> {
    let durability = run.root().durability(Durability::Content);
    let spec_text = run.spec(&request.spec_extension);
    write_atomic_bytes(&spec_text, durability, &request.spec_text)?;
    write_resolved(run, request.plan.spec())?;
    if let Some(registration) = &request.registration {
        write_atomic_bytes(&run.registration(), durability, registration)?;
    }
    if !run.root().is_passing() {
        write_atomic(&run.plan(), durability, |file| {
            write_plan(file, &request.plan)
        })?;
    }
    std::fs::create_dir_all(run.root().runs_dir()).map_err(|source| JournalError::Io {
        action: "create",
        path: run.root().runs_dir(),
        source,
    })?;
    Ok(())
}

/// Keeps the engine and the stopping rule that a resumed run goes on with: other terminals and every later look at the
/// run read them from there.
pub(crate) fn keep_changes(run: &RunDir, spec: &Spec) -> Result<(), EngineError> {
    let mut recorded = resolved_spec(run)?;
    if recorded.engine == spec.engine && recorded.analysis.stop == spec.analysis.stop {
        return Ok(());
    }
    recorded.engine = spec.engine.clone();
    recorded.analysis.stop.clone_from(&spec.analysis.stop);
    write_resolved(run, &recorded)
}

/// What the journal says of files of the run's folder.
pub fn sealed(files: &[PathBuf], at: UtcTime) -> Result<Event, JournalError> {
    let mut sha256 = BTreeMap::new();
    for path in files {
        let text = std::fs::read(path).map_err(|source| JournalError::Io {
            action: "read",
            path: path.clone(),
            source,
        })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        sha256.insert(name.into_owned(), hex(&Sha256::digest(text)));
    }
    Ok(Event::Files { at, sha256 })
}

/// Puts a plan and its spec in the place of those that the run keeps.
pub(crate) fn replace_plan(run: &RunDir, plan: &Plan) -> Result<(), EngineError> {
    write_resolved(run, plan.spec())?;
    write_atomic(&run.plan(), Durability::Content, |file| {
        write_plan(file, plan)
    })?;
    Ok(())
}

fn write_resolved(run: &RunDir, spec: &Spec) -> Result<(), EngineError> {
    let resolved = serde_json::to_vec_pretty(spec).map_err(|error| EngineError::Damaged {
        path: run.resolved_spec().display().to_string(),
        message: error.to_string(),
    })?;
    let durability = run.root().durability(Durability::Content);
    write_atomic_bytes(&run.resolved_spec(), durability, &resolved)?;
    Ok(())
}

/// Writes a plan as JSON, one trial per line, without holding it.
pub fn write_plan(mut to: impl Write, plan: &Plan) -> io::Result<()> {
    let spec = plan.spec();
    let head = PlanHead {
        schema: PLAN_VERSION,
        plan_hash: plan.hash(),
        order: spec.order,
        order_seed: spec.order_seed,
        count: plan.len(),
    };
    let head = serde_json::to_string(&head)?;
    write!(to, "{},\"trials\":[", head.trim_end_matches('}'))?;
    for (place, trial) in plan.trials().enumerate() {
        to.write_all(if place == 0 { b"\n" } else { b",\n" })?;
        let command = trial.argv(None).unwrap_or_default();
        let row = PlanRow {
            key: &trial.key,
            id: &trial.id(),
            command,
        };
        serde_json::to_writer(&mut to, &row)?;
    }
    to.write_all(b"\n]}\n")
}
