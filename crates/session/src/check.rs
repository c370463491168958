//! Is a spec valid, and what would keep it from running here?

use crate::session::Session;
use crate::spec_file::{SpecFile, count_errors};
use fairtrial_engine::agent_tasks::CheckedTask;
use fairtrial_engine::{Missing, preflight};
use fairtrial_plan::{Plan, PlanError};
use fairtrial_spec::{FileCheck, Loaded, Spec};
use std::sync::Arc;

/// Everything that is known of a spec before it runs.
#[derive(Debug)]
pub struct Checked {
    /// The spec and its problems.
    pub loaded: Loaded,
    /// What its agent tasks hold.
    pub tasks: Vec<CheckedTask>,
    /// What would keep a run from starting here: no error, since trials may run on another machine, or later.
    pub not_here: Vec<NotHere>,
    /// How many trials it has; absent for a spec with errors.
    pub trials: Option<u64>,
}

/// Something that a run needs and this machine has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotHere {
    /// For a trial.
    Trial(Missing),
    /// For an agent, in words.
    Agent(String),
}

impl Checked {
    /// How many problems are errors.
    pub fn errors(&self) -> usize {
        let tasks = self.tasks.iter().map(|task| task.findings.errors.len());
        count_errors(&self.loaded.diagnostics) + tasks.sum::<usize>()
    }
}

impl Session {
    /// Checks a spec: every problem at once, with nothing run.
    pub fn check(&self, file: &SpecFile) -> Result<Checked, PlanError> {
        let loaded = file.load(FileCheck::Warn);
        let spec = loaded.spec.as_ref();
        let tasks = spec.map(|spec| self.check_agent_tasks(spec));
        let not_here = spec.map(|spec| self.not_here(spec));
        let plan = spec.map(|spec| Plan::new(Arc::new(spec.clone()), None));
        let trials = plan.transpose()?.map(|plan| plan.len());
        Ok(Checked {
            tasks: tasks.unwrap_or_default(),
            not_here: not_here.unwrap_or_default(),
            trials,
            loaded,
        })
    }

    fn not_here(&self, spec: &Spec) -> Vec<NotHere> {
        let missing = preflight(spec, &self.caller().environment).into_iter();
        let told = missing
            .filter(|missing| {
                matches!(
                    missing,
                    Missing::Program { .. } | Missing::LaterSource { .. }
                )
            })
            .map(NotHere::Trial);
        let agents = self.lacking_for_agents(spec).into_iter();
        told.chain(agents.map(NotHere::Agent)).collect()
    }
}
