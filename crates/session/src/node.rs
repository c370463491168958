//! A chunk of trials on a node of a cluster, as its job does it.

use crate::data_root::absolute;
use crate::error::SessionError;
use crate::session::Session;
use crate::version::VERSION;
use fairtrial_engine::{ExecControls, ExecEnd, ExecRequest, Owner, exec};
use fairtrial_journal::RunDir;
use fairtrial_journal::provenance::host_name;
use fairtrial_model::Record;
use std::path::PathBuf;

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
            owner: Owner {
                host: host_name(),
                pid: std::process::id(),
                job: self.scheduler_job(),
            },
        };
        Ok(exec(&request, controls, tell)?)
    }

    /// The job as its scheduler names it, with the count of its restarts.
    fn scheduler_job(&self) -> Option<String> {
        let caller = self.caller();
        let job = caller.variable("SLURM_JOB_ID")?;
        let restarts = caller.variable("SLURM_RESTART_COUNT").unwrap_or("0");
        Some(format!("{job}.{restarts}"))
    }
}
