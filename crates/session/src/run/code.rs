//! Is what trials would run now what they ran before? Two versions in one run are a mixture, which nobody should get unasked.

use crate::error::SessionError;
use crate::notice::Notice;
use crate::session::Session;
use fairtrial_engine::{CodeChange, CodeNow, OtherCode, Ran, code_since};
use fairtrial_journal::{DataRoot, RecordFile, RunDir, RunState};
use fairtrial_model::{Code, TrialId};
use fairtrial_plan::Plan;
use fairtrial_spec::{Task, Work};
use serde::Deserialize;
use std::collections::HashMap;

/// The part of a record that says what was run.
#[derive(Deserialize)]
struct Part {
    id: TrialId,
    #[serde(default)]
    code: Option<Code>,
}

impl Session {
    /// With what trials would be started now.
    pub(super) fn code_now<'a>(&'a self, root: &'a DataRoot) -> CodeNow<'a> {
        let caller = self.caller();
        CodeNow {
            environment: &caller.environment,
            data: root.path(),
            now: caller.now,
        }
    }

    /// What changed in the code since the finished trials of a run were started.
    pub(super) fn code_since(
        &self,
        run: &RunDir,
        state: &RunState,
        plan: &Plan,
    ) -> Result<CodeChange, SessionError> {
        if !run.is_begun()? {
            return Ok(CodeChange::default());
        }
        let mut file = RecordFile::open(&run.journal())?;
        let mut ran = HashMap::new();
        for (index, trial) in state.trials().filter(|(_, trial)| trial.is_done()) {
            if let Some(Part { id, code }) = file.read_as(trial)? {
                ran.insert(index, Ran { id, code });
            }
        }
        let now = self.code_now(run.root());
        Ok(code_since(run, plan, &now, |trial| {
            ran.get(&trial.key.index).cloned()
        }))
    }

    /// Refuses to go on with a run in which other code would stand beside what ran so far, unless that is accepted. A run
    /// with nothing left to do mixes nothing more; what it mixed may still be accepted.
    pub(super) fn check_code(
        &self,
        run: &RunDir,
        plan: &Plan,
        other: OtherCode,
    ) -> Result<Option<CodeChange>, SessionError> {
        if !run.is_begun()? {
            return Ok(None);
        }
        let state = RunState::read(&run.journal())?;
        let mut all = 0..plan.len();
        let is_over = other == OtherCode::LeftOut && all.all(|index| state.trial(index).is_done());
        let is_prepared = |task: &Task| matches!(task.work, Work::Prepared { .. });
        // Looking at the code of each trial takes seconds where there are many.
        if is_over && !plan.spec().tasks.iter().any(is_prepared) {
            return Ok(None);
        }
        let change = self.code_since(run, &state, plan)?;
        refuse_other_tasks(run, &change)?;
        if is_over {
            return Ok(None);
        }
        match other {
            _ if change.is_nothing() => Ok(None),
            OtherCode::LeftOut => Err(SessionError::CodeChanged {
                run: run.into(),
                change: Box::new(change),
            }),
            OtherCode::Accepted => {
                self.tell(Notice::MixesCode(change.clone()));
                Ok(Some(change))
            }
        }
    }
}

/// Another form of a prepared task makes other trials, which cannot continue a run.
pub(super) fn refuse_other_tasks(run: &RunDir, change: &CodeChange) -> Result<(), SessionError> {
    if change.tasks.is_empty() {
        return Ok(());
    }
    Err(SessionError::TaskChanged {
        run: run.into(),
        change: Box::new(change.clone()),
    })
}
