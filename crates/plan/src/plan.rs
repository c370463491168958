//! The plan: every trial of a run, worked out from its number.

use crate::design::Design;
use crate::error::PlanError;
use crate::identity;
use crate::order;
use crate::points::Shortage;
use crate::trial::Trial;
use fairtrial_spec::{Constraint, Filter, Spec, Task};
use fairtrial_text::count::first_of;
use std::sync::Arc;

/// Every trial of a run, in order.
#[derive(Debug, Clone)]
pub struct Plan {
    design: Arc<Design>,
    /// Number in the design of the trial at each place.
    order: Vec<u32>,
    /// Place of each number, made where some task needs another.
    places: Option<Vec<u32>>,
    hash: String,
}

impl Plan {
    /// Expands a spec; with `only`, the trials that a filter selects, in the same order, numbered anew.
    pub fn new(spec: Arc<Spec>, only: Option<&str>) -> Result<Self, PlanError> {
        let hash = identity::plan_hash(&spec, only);
        let design = Arc::new(Design::new(spec)?);
        let order = order::order(&design);
        let mut plan = Self {
            design,
            order,
            places: None,
            hash,
        };
        plan.constrain()?;
        if let Some(text) = only {
            plan.select(text)?;
        }
        if plan.spec().tasks.iter().any(|task| !task.needs.is_empty()) {
            plan.places = Some(plan.inverse());
        }
        Ok(plan)
    }

    /// The spec it was made from.
    pub fn spec(&self) -> &Arc<Spec> {
        self.design.spec()
    }

    /// Random sweeps that have fewer points than they ask for: there are no more that the constraints allow.
    pub fn shortages(&self) -> Vec<Shortage> {
        self.design.shortages()
    }

    /// How many trials.
    pub fn len(&self) -> u64 {
        self.order.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Hash of all that decides which trials there are and in which order: equal hashes, equal plans.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The trial at a place.
    pub fn trial(&self, place: u64) -> Option<Trial<'_>> {
        let number = *self.order.get(usize::try_from(place).ok()?)?;
        Some(Trial::new(&self.design, number, place))
    }

    /// The task of the trial at a place.
    pub fn task(&self, place: u64) -> Option<&Task> {
        let number = *self.order.get(usize::try_from(place).ok()?)?;
        self.design
            .spec()
            .tasks
            .get(self.design.coordinates(number).task)
    }

    /// All trials in order.
    pub fn trials(&self) -> impl Iterator<Item = Trial<'_>> {
        (0..self.len()).filter_map(|place| self.trial(place))
    }

    /// Places of the trials that must have succeeded before the one at `place` starts. A trial needs those of the
    /// needed task with its own arm, point and seed, as far as that task has them; trials that a filter left out are
    /// taken to be there.
    pub fn needs(&self, place: u64) -> Vec<u64> {
        let (Some(places), Some(number)) = (&self.places, self.order.get(place as usize)) else {
            return Vec::new();
        };
        let needed = self.design.needs(*number);
        let known = needed.into_iter().map(|number| places[number as usize]);
        known
            .filter(|place| *place != u32::MAX)
            .map(u64::from)
            .collect()
    }

    /// Leaves out the trials whose parameters do not satisfy the constraints of their task.
    fn constrain(&mut self) -> Result<(), PlanError> {
        let tasks = &self.spec().tasks;
        if tasks.iter().all(|task| task.constraints.is_empty()) {
            return Ok(());
        }
        let parsed: Vec<(usize, Constraint)> = tasks
            .iter()
            .flat_map(|task| task.constraints.iter().map(|text| (task.place, text)))
            .filter_map(|(place, text)| Some((place, Constraint::parse(text).ok()?)))
            .collect();
        let allowed = |trial: &Trial<'_>| {
            let own = parsed
                .iter()
                .filter(|(place, _)| *place == trial.task.place);
            own.into_iter()
                .all(|(_, constraint)| constraint.holds(&trial.params))
        };
        let kept: Vec<u32> = self
            .trials()
            .filter(allowed)
            .map(|trial| self.order[trial.key.index as usize])
            .collect();
        if kept.is_empty() {
            return Err(PlanError::NothingAllowed);
        }
        self.order = kept;
        Ok(())
    }

    fn select(&mut self, text: &str) -> Result<(), PlanError> {
        let filter = Filter::parse(text)?;
        filter.check_places(self.len())?;
        let known = self.design.parameter_names();
        if let Some(name) = filter
            .parameter_names()
            .find(|name| !known.iter().any(|known| known == name))
        {
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            return Err(PlanError::UnknownParameter {
                name: name.to_owned(),
                known,
            });
        }
        let kept = self
            .trials()
            .filter(|trial| filter.matches(&trial.key, &trial.params));
        let kept: Vec<u32> = kept
            .map(|trial| self.order[trial.key.index as usize])
            .collect();
        if kept.is_empty() {
            return Err(PlanError::NothingSelected {
                filter: text.to_owned(),
                known: tasks_and_arms(self.spec()),
            });
        }
        self.order = kept;
        Ok(())
    }

    fn inverse(&self) -> Vec<u32> {
        let mut places = vec![u32::MAX; self.design.len() as usize];
        for (place, number) in (0u32..).zip(&self.order) {
            places[*number as usize] = place;
        }
        places
    }
}

/// The tasks and arms of a spec, for messages; of many the first.
fn tasks_and_arms(spec: &Spec) -> String {
    const SHOWN: usize = 12;
    let list = |what: &str, names: &[&str]| {
        let names = names.iter().map(|name| format!("`{name}`"));
        format!("{what} {}", first_of(names, SHOWN))
    };
    let mut tasks: Vec<&str> = spec.tasks.iter().map(|task| task.id.as_str()).collect();
    tasks.dedup();
    let arms: Vec<&str> = spec.arms.iter().map(|arm| arm.name.as_str()).collect();
    let tasks = list("the tasks", &tasks);
    if arms.is_empty() {
        tasks
    } else {
        format!("{tasks} and {}", list("the arms", &arms))
    }
}
