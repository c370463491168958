//! Wall times of experiments that were measured while other programs were at work, one run after the other: what ran beside
//! them may be all that differs.

use crate::compare::data::side::Inputs;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::dataset::Dataset;
use fairtrial_model::{CPU, DURATION, without_case};

/// Interruptions for each second of CPU time that a machine without other work does not have.
const MOST: f64 = 100.0;

/// Where a run was interrupted often, and CPU time shows less than half of the difference in wall time (in logarithms).
pub(crate) fn find(metric: &str, inputs: Inputs<'_>) -> Option<Objection> {
    // The arms of one run are measured in turns.
    let Inputs::Two(control, candidate) = inputs else {
        return None;
    };
    if without_case(metric).0 != DURATION {
        return None;
    }
    let sides = [control, candidate].map(|side| side.interruptions.per_second());
    let per_second = sides.into_iter().flatten().reduce(f64::max)?;
    let [wall, cpu] = [DURATION, CPU].map(|clock| ratio(control, candidate, clock));
    let (wall, cpu) = (wall?, cpu?);
    let is_shown = cpu.signum() == wall.signum() && cpu.abs() >= wall.abs() / 2.0;
    (per_second >= MOST && !is_shown).then(|| {
        Objection::caps(ObjectionKind::BusyMachine {
            per_second,
            cpu: cpu.exp() - 1.0,
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
