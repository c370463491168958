//! A chunk of trials on a node of a cluster, as its job does it.

use crate::data_root::absolute;
use crate::error::SessionError;
use crate::session::Session;
use crate::version::VERSION;
use fairtrial_engine::{
    EngineError, ExecControls, ExecEnd, ExecRequest, Owner, StoredExecRequest, exec, exec_stored,
    remote,
};
use fairtrial_journal::RunDir;
use fairtrial_journal::provenance::host_name;
use fairtrial_model::Record;
use fairtrial_store::{Patience, Store};
use std::path::PathBuf;

/// A chunk whose work is in an object store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChunk {
    /// The store: `s3://bucket/prefix`.
    pub store: String,
    /// The run's key in it.
    pub run: String,
    /// Number of the chunk.
    pub number: u64,
}

/// A chunk of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The run's `plan.json`.
    pub plan: PathBuf,
    /// Number of the chunk.
    pub number: u64,
    /// The spec's folder on this machine, where it is not where it was.
    pub base_dir: Option<PathBuf>,
}

impl Session {
    /// Runs one chunk of a run's trials here; `tell` sees each record.
    pub fn run_chunk(
        &self,
        chunk: &Chunk,
        controls: &ExecControls,
        tell: &mut dyn FnMut(&Record),
    ) -> Result<ExecEnd, SessionError> {
        let run = chunk.plan.parent().and_then(RunDir::at);
        let run = run.filter(|_| chunk.plan.is_file());
        let run = run.ok_or_else(|| SessionError::NoPlan(chunk.plan.clone()))?;
        let caller = self.caller();
        let request = ExecRequest {
            run,
            chunk: chunk.number,
            base_dir: chunk.base_dir.as_deref().map(absolute),
            program: caller.program.clone(),
            version: VERSION.to_owned(),
            environment: caller.environment.clone(),
            now: caller.now,
            owner: self.owner(),
        };
        Ok(exec(&request, controls, tell)?)
    }

    /// Runs one chunk whose work is in an object store; `tell` sees each record.
    pub fn run_stored_chunk(
        &self,
        chunk: &StoredChunk,
        controls: &ExecControls,
        tell: &mut dyn FnMut(&Record),
    ) -> Result<ExecEnd, SessionError> {
        let caller = self.caller();
        let request = StoredExecRequest {
            store: Store::open(&chunk.store, Patience::Long).map_err(EngineError::from)?,
            run: chunk.run.clone(),
            chunk: chunk.number,
            program: caller.program.clone(),
            version: VERSION.to_owned(),
            environment: caller.environment.clone(),
            now: caller.now,
            owner: self.owner(),
            nonce: remote::unique_text(),
        };
        Ok(exec_stored(&request, controls, tell)?)
    }

    fn owner(&self) -> Owner {
        Owner {
            host: host_name(),
            pid: std::process::id(),
            job: self.scheduler_job(),
        }
    }

    /// The job as its scheduler names it, with the count of its restarts.
    fn scheduler_job(&self) -> Option<String> {
        let caller = self.caller();
        let job = caller.variable("SLURM_JOB_ID")?;
        let restarts = caller.variable("SLURM_RESTART_COUNT").unwrap_or("0");
        Some(format!("{job}.{restarts}"))
    }
}
