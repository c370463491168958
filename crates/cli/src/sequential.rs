//! Runs that stop when the answer is there: the spec's stopping rule, or `--until decided`, given to the engine.

use crate::exit::Failure;
use fairtrial_analysis::sequential::{SequentialPlan, SequentialRule, Trajectory, with_budget};
use fairtrial_engine::StopRule as EngineRule;
use fairtrial_journal::{Durability, RunDir, write_atomic_bytes};
use fairtrial_model::Record;
use fairtrial_spec::{Spec, StopRule};
use std::sync::{Arc, Mutex, PoisonError};

/// What a run may wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Until {
    /// A verdict at the declared error rate, or the budget is spent
    Decided,
}

/// Pairs before the first look, where nothing else is said.
const FIRST_LOOK: u32 = 5;

/// The spec's rule, else the one that the flag stands for: its seeds are the budget.
pub(crate) fn rule(spec: &Spec, until: Option<Until>) -> Option<StopRule> {
    spec.analysis.stop.clone().or_else(|| {
        let Until::Decided = until?;
        let max = u32::try_from(spec.seeds.len()).unwrap_or(u32::MAX).max(2);
        Some(StopRule {
            when: "decided".to_owned(),
            min: FIRST_LOOK.min(max),
            max,
        })
    })
}

/// The spec with as many seeds as its stopping rule may need.
pub(crate) fn with_seeds(spec: Arc<Spec>) -> Result<Arc<Spec>, Failure> {
    match &spec.analysis.stop {
        None => Ok(spec),
        Some(rule) => Ok(Arc::new(with_budget(&spec, rule)?)),
    }
}

/// A rule at work, seen by the engine and by the report.
#[derive(Clone)]
pub(crate) struct Watched(Arc<Mutex<SequentialRule>>);

impl Watched {
    /// The rule for a plan, where it has one.
    pub(crate) fn new(spec: &Spec, until: Option<Until>) -> Result<Option<Self>, Failure> {
        let Some(rule) = rule(spec, until) else {
            return Ok(None);
        };
        let plan = SequentialPlan::new(spec, rule)?;
        let rule = SequentialRule::new(spec, plan)?;
        Ok(Some(Self(Arc::new(Mutex::new(rule)))))
    }

    /// For the engine.
    pub(crate) fn boxed(&self) -> Mutex<Box<dyn EngineRule>> {
        Mutex::new(Box::new(self.clone()))
    }

    /// What it saw, also written beside the run's other files.
    pub(crate) fn trajectory(&self, run: &RunDir) -> Result<Trajectory, Failure> {
        let trajectory = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .trajectory();
        let text = serde_json::to_vec_pretty(&trajectory)
            .map_err(|error| Failure::machine(error.to_string()))?;
        write_atomic_bytes(
            &run.path().join("sequential.json"),
            Durability::Process,
            &text,
        )?;
        Ok(trajectory)
    }
}

impl EngineRule for Watched {
    fn settled(&mut self, record: &Record) -> Option<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .settled(record)
    }
}
