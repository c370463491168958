//! How many more trials would settle an open question, and what this many could have seen.

use crate::compare::advice::Advice;
use crate::compare::data::sample::Spread;
use crate::compare::method::choose::Case;
use fairtrial_model::Method;
use fairtrial_stats::Level;
use fairtrial_stats::descriptive::variance;
use fairtrial_stats::planning::{TDesign, sample_size_over, smallest_effect_over, tasks_worth};

/// More than this is no plan.
const MOST_UNITS: u64 = 1_000;
/// Units below which their spread and their mean say too little to plan with.
const LEAST_UNITS: f64 = 5.0;

/// The design, and how many tasks of equal noise it is averaged over.
fn design(case: &Case) -> (TDesign, f64) {
    let sample = &case.sample;
    let design = if case.units.paired {
        TDesign::Paired
    } else {
        TDesign::Unpaired
    };
    if sample.flat().is_some() {
        return (design, 1.0);
    }
    let groups: Vec<Vec<f64>> = if case.units.paired {
        sample.differences()
    } else {
        let sides = sample.strata.iter();
        sides
            .flat_map(|of| [of.control.clone(), of.candidate.clone()])
            .collect()
    };
    let parts = groups
        .iter()
        .filter_map(|group| Some((variance(group).ok()?, group.len())));
    (design, tasks_worth(design, &parts.collect::<Vec<_>>()))
}

/// What would bring a verdict with the given power.
pub(crate) fn advice(case: &Case, value: f64, alpha: f64, power: f64) -> Option<Advice> {
    let spread = case.sample.spread().or_else(|| of_rates(case))?;
    let rule = case.rule();
    rule.direction
        .or(rule.margin.map(|_| fairtrial_model::Direction::Up))?;
    let effect = rule.distance(value) / spread.sd;
    let planned = sample_size_over(design(case), effect, power, Level::two_sided(alpha)).ok();
    let needed = planned.map(|plan| plan.n);
    Some(Advice {
        fresh: needed.filter(|n| spread.n >= LEAST_UNITS && *n <= MOST_UNITS),
        unit: case.units.kind,
        paired: case.units.paired,
        in_each_task: case.units.by_task,
        until_decided: false,
    })
}

/// The spread of rates of which one is 0 and the other 1: nothing varies within a side, but both together do.
fn of_rates(case: &Case) -> Option<Spread> {
    let rate = 0.5 * (case.control_centre()? + case.candidate_centre()?);
    let sd = (rate * (1.0 - rate)).sqrt();
    let (control, candidate) = case.sample.sizes();
    let fits = case.method == Method::Proportion && case.sample.flat().is_some() && sd > 0.0;
    fits.then(|| Spread {
        sd,
        n: control.min(candidate) as f64,
    })
}

/// The smallest true effect that this sample would find with the given power, on the scale of the sample.
pub(crate) fn detectable(case: &Case, alpha: f64, power: f64) -> Option<f64> {
    let spread = case.sample.spread()?;
    let n = spread.n.floor() as usize;
    let effect = smallest_effect_over(design(case), n, power, Level::two_sided(alpha))
        .ok()?
        .effect;
    // A timing must clear its threshold, not 0 alone.
    Some(case.rule().edge() + effect * spread.sd)
}
