//! Scores what the rollouts of a run left, again, without running an agent.

use crate::error::SessionError;
use crate::session::Session;
use crate::summary::write_summary;
use fairtrial_analysis::{RunSummary, summarize_run};
use fairtrial_engine::agent_tasks::{ChangedTask, LaterTasks, TaskReader};
use fairtrial_engine::{Rescored, ScoreRequest, score_again};
use fairtrial_journal::{Durability, RunDir, RunState, resolved_spec, write_atomic_bytes};
use fairtrial_model::Stamp;
use fairtrial_spec::Spec;
use serde_json::{Value, json};
use std::collections::BTreeMap;
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

/// Which form of a task scores its rollouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoredBy {
    /// The task as it is now.
    Current,
    /// The task as it was when the run was made.
    Recorded,
}

impl Session {
    /// Scores the rollouts of a run again, so many at the same time.
    pub fn evaluate(
        &self,
        run: &RunDir,
        scored_by: ScoredBy,
        parallel: usize,
    ) -> Result<Evaluated, SessionError> {
        run.open_to_changes()?;
        let caller = self.caller();
        let spec = resolved_spec(run)?;
        self.make_agents_ready(&spec, run.root())?;
        let (tasks, changed) = match scored_by {
            ScoredBy::Recorded => (BTreeMap::new(), Vec::new()),
            ScoredBy::Current => self.current_tasks(run, &spec)?,
        };
        let rollouts = score_again(&ScoreRequest {
            run,
            program: &caller.program,
            environment: &caller.environment,
            tasks: &tasks,
            slots: parallel,
            now: caller.now,
        })?;
        if rollouts.is_empty() {
            return Err(SessionError::NoRollouts(run.stamp()));
        }
        let summary = summarize_run(run, &spec)?;
        write_summary(run, &spec, &summary, &caller.redactor())?;
        let manifest = json!({
            "evaluated_at": Stamp::of((caller.now)()), "changed_tasks": changed, "results": rollouts,
        });
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

    /// Files with what changed tasks say about their scoring now, and what changed in words; that is told, too.
    fn current_tasks(
        &self,
        run: &RunDir,
        spec: &Spec,
    ) -> Result<(BTreeMap<String, PathBuf>, Vec<String>), SessionError> {
        let reader = TaskReader::new(spec, self.token(), None);
        let later = LaterTasks::find(spec, run.root(), &reader)?;
        for unreadable in &later.unreadable {
            self.warn(format!("{unreadable}; it is scored as it was in the run"));
        }
        let (mut files, mut words) = (BTreeMap::new(), Vec::new());
        let folder = run.path().join("agents");
        std::fs::create_dir_all(&folder)
            .map_err(|error| SessionError::Machine(format!("{}: {error}", folder.display())))?;
        for changed in later.changed {
            let told = change_words(&changed);
            self.warn(&told);
            words.push(told);
            let text = serde_json::to_vec(&changed.now).unwrap_or_default();
            let file = folder.join(format!("scoring-{}.json", files.len()));
            write_atomic_bytes(&file, Durability::Process, &text)?;
            files.insert(changed.task, file);
        }
        Ok((files, words))
    }
}

/// What changed in a task since its run, and what follows.
fn change_words(changed: &ChangedTask) -> String {
    let task = &changed.task;
    let scoring = match &changed.scoring[..] {
        [] => format!("task `{task}` changed since the run, but not its scoring"),
        parts => format!(
            "task `{task}` changed since the run and is scored as it is now: {} (`--as-recorded` scores it as it was)",
            parts.join(", ")
        ),
    };
    if changed.given.is_empty() {
        return scoring;
    }
    let given = changed.given.join(", ");
    format!(
        "{scoring}; its agents worked on another form of it ({given}), which only a new run can change"
    )
}
