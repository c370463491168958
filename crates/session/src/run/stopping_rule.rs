//! Runs that stop when the answer is there: the spec's stopping rule, or the caller's, given to the engine.

use crate::error::SessionError;
use fairtrial_analysis::AnalysisError;
use fairtrial_analysis::sequential::{SequentialPlan, SequentialRule, Trajectory, with_budget};
use fairtrial_engine::{OtherCode, StopRule as EngineRule};
use fairtrial_journal::{Durability, RunDir, RunState, effective_records, write_atomic_bytes};
use fairtrial_model::Record;
use fairtrial_plan::Plan;
use fairtrial_report::stop_reason;
use fairtrial_spec::{Spec, StopRule};
use std::sync::{Arc, Mutex, PoisonError};

/// Pairs before the first look, where nothing else is said.
const FIRST_LOOK: u32 = 5;

/// What a run may wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until {
    /// A verdict at the declared error rate, or the budget is spent.
    Decided(Looks),
}

/// When a run that waits for a verdict looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Looks {
    /// As the spec says, else after every pair; the seeds are the budget.
    BySpec,
    /// After these numbers of pairs, the last of which is the budget.
    After(Vec<u32>),
    /// At any time: the error rate counts on no budget, and seeds may be added later.
    AnyTime,
}

/// The plan with the rule that the caller asks for, whose budget are its seeds; where the caller does not say when to
/// look, the spec's own rule goes first. It becomes part of the spec that the run keeps: what a run stops by must not
/// depend on who asks later.
pub(super) fn until(
    plan: Plan,
    until: Option<&Until>,
    only: Option<&str>,
) -> Result<Plan, SessionError> {
    let Some(Until::Decided(looks)) = until else {
        return Ok(plan);
    };
    let seeds = plan.spec().seeds.len();
    let max = u32::try_from(seeds).unwrap_or(u32::MAX).max(2);
    let declared = plan.spec().analysis.stop.clone();
    let rule = match (looks, declared) {
        (Looks::BySpec, Some(_)) => return Ok(plan),
        (Looks::BySpec, None) => StopRule::decided(FIRST_LOOK.min(max), max),
        (Looks::After(pairs), _) => {
            if let Some(wrong) = StopRule::wrong_looks(pairs) {
                return Err(AnalysisError::Question(wrong).into());
            }
            StopRule::decided(FIRST_LOOK, max).looking_at(pairs.clone())
        }
        (Looks::AnyTime, Some(rule)) if rule.looks.is_empty() => rule.at_any_time(),
        (Looks::AnyTime, _) => StopRule::decided(FIRST_LOOK.min(max), max).at_any_time(),
    };
    with_rule(&plan, Some(rule), only)
}

/// The same plan with another stopping rule, and as many seeds as that may need.
pub(super) fn with_rule(
    plan: &Plan,
    rule: Option<StopRule>,
    only: Option<&str>,
) -> Result<Plan, SessionError> {
    let mut spec = plan.spec().as_ref().clone();
    spec.analysis.stop = rule;
    Ok(Plan::new(with_seeds(Arc::new(spec))?, only)?)
}

/// The spec with as many seeds as its stopping rule may need.
pub(crate) fn with_seeds(spec: Arc<Spec>) -> Result<Arc<Spec>, SessionError> {
    match &spec.analysis.stop {
        None => Ok(spec),
        Some(rule) => Ok(Arc::new(with_budget(&spec, rule)?)),
    }
}

/// A rule at work, seen by the engine and by the result.
#[derive(Clone)]
pub(crate) struct WatchedRule(Arc<Mutex<SequentialRule>>);

impl WatchedRule {
    /// The rule for a plan, where it has one.
    pub(crate) fn new(spec: &Spec) -> Result<Option<Self>, SessionError> {
        let Some(rule) = spec.analysis.stop.clone() else {
            return Ok(None);
        };
        let plan = SequentialPlan::new(spec, rule)?;
        let rule = SequentialRule::new(spec, plan)?;
        Ok(Some(Self(Arc::new(Mutex::new(rule)))))
    }

    /// Shows it the records of a run that nobody runs any more.
    pub(crate) fn recall(&self, run: &RunDir, state: &RunState) -> Result<(), SessionError> {
        let mut rule = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rule.of_run(run);
        if state.accepts_code {
            rule.accept_code();
        }
        effective_records(&run.journal(), state, |record| {
            rule.settled(&record);
            Ok(())
        })
    }

    /// What it saw so far.
    pub(crate) fn so_far(&self) -> Trajectory {
        let rule = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rule.trajectory()
    }

    /// What it saw, also written beside the run's other files.
    pub(super) fn trajectory(&self, run: &RunDir) -> Result<Trajectory, SessionError> {
        let trajectory = self.so_far();
        let text = serde_json::to_vec_pretty(&trajectory)
            .map_err(|error| SessionError::Machine(error.to_string()))?;
        write_atomic_bytes(
            &run.path().join("sequential.json"),
            Durability::Process,
            &text,
        )?;
        Ok(trajectory)
    }
}

/// Hears of every look that a rule takes.
pub(super) type OnLook = Box<dyn FnMut(&Trajectory) + Send>;

/// The rule of the spec and another one, for the engine: whichever ends the run first. The other one sees each record before.
pub(super) fn either(
    rule: Option<&WatchedRule>,
    also: Option<Box<dyn EngineRule>>,
    on_look: OnLook,
) -> Option<Mutex<Box<dyn EngineRule>>> {
    let both = FirstOf {
        also,
        watched: rule.cloned(),
        looks: 0,
        on_look,
    };
    let any = both.also.is_some() || both.watched.is_some();
    any.then(|| Mutex::new(Box::new(both) as Box<dyn EngineRule>))
}

/// Ends a run when the first of two rules does; both see every record.
struct FirstOf {
    also: Option<Box<dyn EngineRule>>,
    watched: Option<WatchedRule>,
    /// Looks that were told.
    looks: usize,
    on_look: OnLook,
}

impl EngineRule for FirstOf {
    fn begins(&mut self, run: &RunDir, other: OtherCode) {
        if let Some(rule) = &mut self.also {
            rule.begins(run, other);
        }
        if let Some(rule) = &mut self.watched {
            rule.begins(run, other);
        }
    }

    fn settled(&mut self, record: &Record) -> Option<String> {
        let also = self.also.as_mut().and_then(|rule| rule.settled(record));
        let watched = self.watched.as_mut().and_then(|rule| rule.settled(record));
        if let Some(rule) = &self.watched {
            let rule = rule.0.lock().unwrap_or_else(PoisonError::into_inner);
            if rule.looks() > self.looks {
                self.looks = rule.looks();
                (self.on_look)(&rule.trajectory());
            }
        }
        also.or(watched)
    }
}

impl EngineRule for WatchedRule {
    fn begins(&mut self, run: &RunDir, other: OtherCode) {
        let mut rule = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rule.of_run(run);
        if other == OtherCode::Accepted {
            rule.accept_code();
        }
    }

    fn settled(&mut self, record: &Record) -> Option<String> {
        let mut rule = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stops = rule.settled(record);
        stops.then(|| stop_reason(&rule.trajectory())).flatten()
    }
}
