//! How looks are made: by the boundaries of a budget, or by a sequence that holds at any time.

use super::plan::SequentialPlan;
use crate::error::AnalysisError;
use fairtrial_spec::LookPromise;
use fairtrial_stats::sequential::{
    AnytimeDesign, Design, Futility, LookResult, LookTest, Schedule, Spending, TBoundaries, look,
    look_anytime, t_boundaries,
};
use fairtrial_stats::{Outcome, Undefined};

/// Null paths behind the boundaries: a quarter of a second, and a critical value good to three digits.
const PATHS: usize = 1 << 18;
/// Their seed: the boundaries are the same in every run of the same design.
const SEED: u64 = 0;

/// How looks are made.
#[derive(Debug, Clone)]
pub(super) enum Looking {
    /// At planned numbers of pairs out of a budget.
    Planned(TBoundaries),
    /// At any number of pairs, with more to come where somebody likes.
    Anytime(AnytimeDesign),
}

impl Looking {
    /// As a plan declares it.
    pub(super) fn of(plan: &SequentialPlan) -> Result<Self, AnalysisError> {
        let bad = |why: Undefined| AnalysisError::Question(format!("the stopping rule: {why}"));
        let schedule = schedule(plan).map_err(bad)?;
        // Every arm against the control: the error rate is shared between them.
        let alpha = plan.alpha / plan.candidates.len() as f64;
        if plan.rule.promise == LookPromise::Anytime {
            return Ok(Self::Anytime(AnytimeDesign { schedule, alpha }));
        }
        // A budget that grows by looks is mostly far more than it takes: more of the error rate is spent early, and fewer
        // paths are enough for looks that are so far apart.
        let (rho, paths) = match plan.rule.growth {
            None => (2.0, PATHS),
            Some(_) => (1.0, PATHS / 4),
        };
        let design = Design {
            schedule,
            spending: Spending::Power { rho },
            alpha,
        };
        let boundaries = t_boundaries(&design, paths, SEED).map_err(bad)?;
        Ok(Self::Planned(boundaries))
    }

    /// When the data are looked at.
    pub(super) fn schedule(&self) -> &Schedule {
        match self {
            Self::Planned(boundaries) => &boundaries.design.schedule,
            Self::Anytime(design) => &design.schedule,
        }
    }

    /// The error rate of one arm over all looks.
    pub(super) fn alpha(&self) -> f64 {
        match self {
            Self::Planned(boundaries) => boundaries.design.alpha,
            Self::Anytime(design) => design.alpha,
        }
    }

    /// Looks at the differences so far. Without a budget nothing is hopeless, and signs are flipped only where nothing
    /// else says anything.
    pub(super) fn look(
        &self,
        differences: &[f64],
        futility: &Futility,
        test: LookTest,
    ) -> Outcome<LookResult> {
        match self {
            Self::Planned(boundaries) => look(boundaries, differences, Some(futility), test),
            Self::Anytime(design) => look_anytime(design, differences),
        }
    }
}

/// The looks that the rule lists, else one after every pair.
fn schedule(plan: &SequentialPlan) -> Outcome<Schedule> {
    let rule = &plan.rule;
    let budget = rule.max as usize;
    // Of a deterministic metric, two pairs say whether they contradict each other.
    let first = if plan.metric.deterministic {
        2
    } else {
        rule.min.max(2) as usize
    };
    if let Some(growth) = rule.growth {
        return Schedule::growing(growth, first.min(budget), budget);
    }
    if rule.looks.is_empty() {
        return Schedule::every(1, first, budget);
    }
    let looks = rule.looks.iter().map(|pairs| *pairs as usize);
    Schedule::new(looks.collect(), budget)
}
