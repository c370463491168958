//! Scores what the rollouts of a run left, again, without running an agent.

use crate::error::SessionError;
use crate::session::Session;
use crate::summary::write_summary;
use fairtrial_analysis::{RunSummary, summarize_run};
use fairtrial_engine::{Rescored, ScoreRequest, score_again};
use fairtrial_journal::{Durability, RunDir, RunState, resolved_spec, write_atomic_bytes};
use fairtrial_model::Stamp;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What scoring again came to.
#[derive(Debug)]
pub struct Evaluated {
    /// Each rollout.
    pub rollouts: Vec<Rescored>,
    /// The run's summary with the new scores.
    pub summary: RunSummary,
    /// What was written to [`Evaluated::file`].
    pub manifest: Value,
    /// `eval_manifest.json` of the run.
    pub file: PathBuf,
    /// Whether old and new scores stand side by side, so that nothing is judged by them.
    pub is_half_scored: bool,
}

impl Evaluated {
    /// The rollouts that could not be scored.
    pub fn unscored(&self) -> impl Iterator<Item = &Rescored> {
        self.rollouts.iter().filter(|row| row.eval_rc != 0)
    }
}

impl Session {
    /// Scores the rollouts of a run again, so many at the same time.
    pub fn evaluate(&self, run: &RunDir, parallel: usize) -> Result<Evaluated, SessionError> {
        let caller = self.caller();
        let spec = resolved_spec(run)?;
        self.make_agents_ready(&spec, run.root())?;
        let rollouts = score_again(&ScoreRequest {
            run,
            program: &caller.program,
            environment: &caller.environment,
            slots: parallel,
            now: caller.now,
        })?;
        if rollouts.is_empty() {
            return Err(SessionError::NoRollouts(run.stamp()));
        }
        let summary = summarize_run(run, &spec)?;
        write_summary(run, &spec, &summary, &caller.redactor())?;
        let manifest = json!({ "evaluated_at": Stamp::of((caller.now)()), "results": rollouts });
        let text = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
        let file = run.path().join("eval_manifest.json");
        write_atomic_bytes(&file, Durability::Process, &text)?;
        Ok(Evaluated {
            rollouts,
            summary,
            manifest,
            file,
            is_half_scored: RunState::read(&run.journal())?.is_half_scored(),
        })
    }
}
