//! Whether the numbers of all runs are about the same part of their curves.

use super::history::History;
use super::pairs::Arranged;
use super::value::RunValue;
use crate::compare::objections::curve_parts::CurveParts;
use crate::compare::objections::objection::Objection;
use crate::compare::result::MetricComparison;

/// How much the parts of single runs may differ, as a share of their width, before it is said.
const RAGGED: f64 = 0.1;

/// The objection where the sides are about different parts of their curves: the difference is then one of the steps,
/// whatever the runs have learnt.
pub(super) fn other_parts(arranged: &Arranged, sides: [&[RunValue]; 2]) -> Option<Objection> {
    let [control, candidate] = [(0, &arranged.control), (1, &arranged.candidate)].map(
        |(side, runs): (usize, &Vec<History>)| {
            let mut parts = CurveParts::default();
            for (value, run) in sides[side].iter().zip(runs) {
                for (value, curve) in value.curves().iter().zip(run.curves()) {
                    if let (Some(part), Some(whole)) = (value.steps, curve.series.range()) {
                        parts.add(part, whole);
                    }
                }
            }
            parts
        },
    );
    control.differ(&candidate).map(Objection::caps)
}

/// Says so where single runs are about different parts, though the sides are alike on the whole.
pub(super) fn ragged_note(
    sides: [&[RunValue]; 2],
    comparison: &MetricComparison,
) -> Option<String> {
    let steps: Vec<[f64; 2]> = sides
        .into_iter()
        .flatten()
        .flat_map(RunValue::curves)
        .filter_map(|value| value.steps)
        .collect();
    let between = |end: usize| {
        let ends = steps.iter().map(|steps| steps[end]);
        Some((ends.clone().reduce(f64::min)?, ends.reduce(f64::max)?))
    };
    let (first_start, last_start) = between(0)?;
    let (first_end, last_end) = between(1)?;
    let width = steps.iter().map(|[from, to]| to - from).reduce(f64::max)?;
    let apart = (last_start - first_start).max(last_end - first_end);
    let flagged = comparison.verdict.is_held_back();
    (apart > RAGGED * width && !flagged).then(|| {
        format!(
            "the parts of the runs' curves begin between step {first_start} and {last_start} and end between step \
             {first_end} and {last_end}: the difference adds to the noise"
        )
    })
}

/// Says so where steps were put in order.
pub(super) fn order_note(curves: &[&History]) -> Option<String> {
    let in_order = |curve: &&&History| curve.series.is_ascending();
    let others = curves.iter().filter(|curve| !in_order(curve)).count();
    (others > 0).then(|| {
        format!(
            "steps out of order or logged twice: the points are taken in the order of their steps, and the last value of \
             a step counts ({others} of {} runs)",
            curves.len()
        )
    })
}
