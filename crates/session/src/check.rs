//! Is a spec valid, and what would keep it from running here?

use crate::error::SessionError;
use crate::refusals::refusals;
use crate::run::stopping_rule;
use crate::session::Session;
use crate::spec_file::{SpecFile, count_errors};
use fairtrial_engine::Missing;
use fairtrial_engine::agent_tasks::{CheckedTask, NotReady};
use fairtrial_plan::Plan;
use fairtrial_spec::{EngineKind, FileCheck, Loaded, Spec};
use std::path::Path;
use std::sync::Arc;

/// Everything that is known of a spec before it runs.
#[derive(Debug)]
pub struct Checked {
    /// The spec and its problems.
    pub loaded: Loaded,
    /// What its agent tasks hold.
    pub tasks: Vec<CheckedTask>,
    /// Why `run` would refuse a spec without problems.
    pub refusals: Vec<SessionError>,
    /// What would keep a run from starting here: no error, since trials may run on another machine, or later.
    pub not_here: Vec<NotHere>,
    /// How many trials it has, at most; absent for a spec that has none.
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
        count_errors(&self.loaded.diagnostics) + tasks.sum::<usize>() + self.refusals.len()
    }
}

impl Session {
    /// Checks a spec: every problem at once, with nothing run.
    pub fn check(&self, file: &SpecFile) -> Checked {
        let loaded = file.load(FileCheck::Warn);
        let mut checked = Checked {
            loaded,
            tasks: Vec::new(),
            refusals: Vec::new(),
            not_here: Vec::new(),
            trials: None,
        };
        let Some(spec) = checked.loaded.spec.clone() else {
            return checked;
        };
        checked.tasks = self.check_agent_tasks(&spec);
        let agents = self.lacking_for_agents(&spec).into_iter();
        if spec.engine.kind == EngineKind::Local {
            let refused = |text| NotReady::Lacks(vec![text]).into();
            checked.refusals.extend(agents.map(refused));
        } else {
            checked.not_here.extend(agents.map(NotHere::Agent));
        }
        match expand(spec, &file.path) {
            Ok((plan, refusals)) => {
                checked.trials = Some(plan.len());
                checked.refusals.extend(refusals);
                let here = self.missing(&plan);
                checked
                    .not_here
                    .extend(here.into_iter().map(NotHere::Trial));
            }
            Err(error) => checked.refusals.push(error),
        }
        checked
    }
}

/// The plan as `run` would make it, and why it would refuse it.
fn expand(spec: Spec, path: &Path) -> Result<(Plan, Vec<SessionError>), SessionError> {
    let spec = stopping_rule::with_seeds(Arc::new(spec))?;
    let plan = Plan::new(spec, None)?;
    let refusals = refusals(path, &plan);
    Ok((plan, refusals))
}
