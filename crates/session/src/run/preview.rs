//! What a run would do, without doing it: which trials would run, with their commands as they would be started.

use super::code::refuse_other_tasks;
use super::options::StartFrom;
use super::prepare::PreparedRun;
use crate::error::SessionError;
use crate::session::Session;
use fairtrial_engine::{CodeChange, EngineError, OtherCode, reusable};
use fairtrial_journal::{DataRoot, RunDir, RunState, Selector, resolved_spec};
use fairtrial_model::Stamp;
use fairtrial_plan::{Placement, Plan, Trial, measured_differently};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What would run.
#[derive(Debug)]
pub struct RunPreview {
    /// Every trial, whether it would run or not.
    pub plan: Plan,
    /// What an earlier run answers.
    pub kept: Option<KeptTrials>,
    /// The trials that would run, by their place in the plan; all where nothing is kept.
    due: Option<Vec<u64>>,
    /// Attempts that are not the first.
    attempts: HashMap<u64, u32>,
    /// The run's stamp, or the placeholder for it.
    run: String,
    runs_dir: PathBuf,
    checkpoints_dir: PathBuf,
}

/// Trials that an earlier run answers.
#[derive(Debug)]
pub struct KeptTrials {
    /// The run.
    pub stamp: Stamp,
    /// How many.
    pub trials: u64,
    /// Metrics that would be read again from what they left, because their declarations changed.
    pub measured_again: Vec<String>,
    /// What changed in the code that they ran; on `--reuse` those run again.
    pub code: CodeChange,
}

impl RunPreview {
    /// The trials that would run.
    pub fn trials(&self) -> impl Iterator<Item = Trial<'_>> {
        let all = (0..self.plan.len()).filter(|_| self.due.is_none());
        let due = self.due.iter().flatten().copied();
        all.chain(due).filter_map(|index| self.plan.trial(index))
    }

    /// How many those are.
    pub fn due(&self) -> u64 {
        self.due
            .as_ref()
            .map_or(self.plan.len(), |due| due.len() as u64)
    }

    /// Program and arguments of a trial as it would be started; of a new run only the stamp is not known.
    pub fn command(&self, trial: &Trial<'_>) -> Vec<String> {
        let index = trial.key.index;
        let attempt = self.attempts.get(&index).copied().unwrap_or(1);
        let name = DataRoot::trial_name(&self.run, index, attempt);
        let dir = self.runs_dir.join(&name);
        let checkpoint = self
            .checkpoints_dir
            .join(DataRoot::trial_name(&self.run, index, 1));
        let checkpoint = checkpoint.to_string_lossy();
        let placement = Placement {
            dir: &dir.to_string_lossy(),
            trial: &name,
            run: &self.run,
            attempt,
            checkpoint: Some(&checkpoint),
        };
        trial.argv(Some(&placement)).unwrap_or_default()
    }
}

impl Session {
    /// What a new run of a plan would do.
    pub fn preview(&self, plan: Plan) -> RunPreview {
        RunPreview {
            plan,
            kept: None,
            due: None,
            attempts: HashMap::new(),
            run: "{run}".to_owned(),
            runs_dir: self.data_root().runs_dir(),
            checkpoints_dir: self.data_root().checkpoints_dir(),
        }
    }

    /// What changed in the code since the newest run of the plan's name was made; absent where there is none, or nothing did.
    pub fn code_since_newest(&self, plan: &Plan) -> Option<(Stamp, CodeChange)> {
        let run = RunDir::open(&self.data_root(), &plan.spec().name, Selector::Newest).ok()?;
        let state = RunState::read(&run.journal()).ok()?;
        let change = self.code_since(&run, &state, plan).ok()?;
        (!change.is_nothing()).then(|| (run.stamp(), change))
    }

    /// What a prepared run would do, where it takes over records or goes on with an earlier run too.
    pub fn preview_run(&self, run: PreparedRun) -> Result<RunPreview, SessionError> {
        let PreparedRun {
            mut plan,
            root,
            options,
            ..
        } = run;
        let name = plan.spec().name.clone();
        match options.start {
            StartFrom::New => Ok(self.preview(plan)),
            StartFrom::Reuse(stamp) => {
                let earlier = match stamp {
                    Some(stamp) => RunDir::open(&root, &name, Selector::Stamp(stamp))?,
                    None => self.latest_run(&name)?,
                };
                self.preview_reuse(&earlier, plan, options.other_code)
            }
            StartFrom::Resume(stamp, _) => {
                let selector = stamp.map_or(Selector::Newest, Selector::Stamp);
                let earlier = RunDir::open(&root, &name, selector)?;
                let only = self.resumed_plan(&earlier, &options, &mut plan)?;
                self.preview_resume(&earlier, plan, only.as_deref())
            }
        }
    }

    fn preview_reuse(
        &self,
        earlier: &RunDir,
        plan: Plan,
        other: OtherCode,
    ) -> Result<RunPreview, SessionError> {
        let offered = reusable(earlier, &plan, &self.code_now(earlier.root()), other)?;
        let is_due = |trial: &Trial<'_>| !offered.records.contains_key(&trial.id());
        let due: Vec<u64> = plan
            .trials()
            .filter(is_due)
            .map(|it| it.key.index)
            .collect();
        Ok(RunPreview {
            kept: Some(KeptTrials {
                stamp: earlier.stamp(),
                trials: plan.len() - due.len() as u64,
                measured_again: offered.measured_differently,
                code: offered.code,
            }),
            due: Some(due),
            ..self.preview(plan)
        })
    }

    fn preview_resume(
        &self,
        run: &RunDir,
        plan: Plan,
        only: Option<&str>,
    ) -> Result<RunPreview, SessionError> {
        let mut state = RunState::default();
        let mut measured_again = Vec::new();
        let mut code = CodeChange::default();
        if run.is_begun()? {
            state = RunState::read(&run.journal())?;
            code = self.code_since(run, &state, &plan)?;
            refuse_other_tasks(run, &code)?;
            let recorded = resolved_spec(run)?;
            measured_again = measured_differently(&recorded, plan.spec());
            let as_before = plan.measuring(&recorded.metrics, only)?;
            let before = Plan::new(Arc::new(recorded), only)?;
            if as_before.hash() != before.hash() {
                let change = Box::new(plan.changes_since(&before));
                let stamp = run.stamp();
                return Err(EngineError::SpecChanged { stamp, change }.into());
            }
        }
        let all = 0..plan.len();
        let due: Vec<u64> = all.filter(|index| !state.trial(*index).is_done()).collect();
        let attempts = due
            .iter()
            .map(|index| (*index, state.trial(*index).next_attempt()));
        Ok(RunPreview {
            kept: Some(KeptTrials {
                stamp: run.stamp(),
                trials: plan.len() - due.len() as u64,
                measured_again,
                code,
            }),
            attempts: attempts.filter(|(_, attempt)| *attempt > 1).collect(),
            due: Some(due),
            run: run.stamp().to_string(),
            ..self.preview(plan)
        })
    }
}
