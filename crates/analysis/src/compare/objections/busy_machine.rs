//! Times of experiments that were measured while other programs were at work, one run after the other: what ran beside them
//! may be all that differs.

use crate::compare::data::definition::mismatches;
use crate::compare::data::side::Inputs;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::dataset::Dataset;
use fairtrial_model::{WORKER_CLOCKS, without_case};

/// Interruptions for each second of CPU time that a machine without other work does not have.
const MOST: f64 = 100.0;

/// Where a run was interrupted often, and a clock that other programs disturb less shows less than half of the difference (in
/// logarithms).
pub(crate) fn find(metric: &str, inputs: Inputs<'_>) -> Option<Objection> {
    // The arms of one run are measured in turns.
    let Inputs::Two(control, candidate) = inputs else {
        return None;
    };
    let disturbed = WORKER_CLOCKS
        .iter()
        .position(|clock| *clock == without_case(metric).0)?;
    let sides = [control, candidate].map(|side| side.interruptions.per_second());
    let per_second = sides.into_iter().flatten().reduce(f64::max)?;
    let change = |clock: &str| ratio(control, candidate, clock);
    let shown = change(WORKER_CLOCKS[disturbed])?;
    // The steadiest that both sides have alike.
    let steadier = WORKER_CLOCKS[disturbed + 1..].iter().rev();
    let mut alike = steadier.filter(|clock| mismatches(control, candidate, clock).is_empty());
    let (clock, steady) = alike.find_map(|clock| Some((*clock, change(clock)?)))?;
    let is_shown = steady.signum() == shown.signum() && steady.abs() >= shown.abs() / 2.0;
    (per_second >= MOST && !is_shown).then(|| {
        Objection::caps(ObjectionKind::BusyMachine {
            per_second,
            clock,
            change: steady.exp() - 1.0,
        })
    })
}

/// The logarithm of the ratio of a clock's geometric means.
fn ratio(control: &Dataset, candidate: &Dataset, clock: &str) -> Option<f64> {
    let mean = |side: &Dataset| {
        let values = side.values(clock).into_iter().flatten();
        let logarithms: Vec<f64> = values.map(f64::ln).filter(|it| it.is_finite()).collect();
        let sum: f64 = logarithms.iter().sum();
        (!logarithms.is_empty()).then(|| sum / logarithms.len() as f64)
    };
    Some(mean(candidate)? - mean(control)?)
}
