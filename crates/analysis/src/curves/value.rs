//! The number of a run: that of its curve, or the mean over the rollouts of its seed.

use super::history::History;
use super::pairs::Design;
use super::summary::{Reduced, why_none};
use fairtrial_model::Outcome;
use serde::Serialize;

/// What came of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunValue {
    /// The run.
    pub id: String,
    /// Its seed, where that is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Points of its curve, or of its rollouts' curves together.
    pub points: usize,
    /// The first and the last step that its number is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<[f64; 2]>,
    /// Its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_none: Option<String>,
    /// What came of its rollouts, where it has several: its number is the mean of theirs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rollouts: Vec<RunValue>,
}

/// The usable values of both sides, in pair order where the design is paired.
pub(crate) struct Values {
    pub(crate) control: Vec<f64>,
    pub(crate) candidate: Vec<f64>,
    pub(crate) design: Design,
}

/// What came of a run; takes as many numbers as it has curves.
pub(super) fn of_run(
    run: &History,
    numbers: &mut impl Iterator<Item = fairtrial_stats::Outcome<Reduced>>,
) -> RunValue {
    let mut of_curves: Vec<RunValue> = run
        .curves()
        .zip(numbers)
        .map(|(curve, number)| of_curve(curve, &number))
        .collect();
    match of_curves.len() {
        1 => of_curves.remove(0),
        _ => together(run, of_curves),
    }
}

fn of_curve(run: &History, number: &fairtrial_stats::Outcome<Reduced>) -> RunValue {
    // A trial that did not end well has no number, whatever part of its curve there is.
    let failed = run.outcome != Outcome::Ok;
    let counted = number.as_ref().ok().filter(|_| !failed);
    RunValue {
        id: run.id.clone(),
        seed: run.seed,
        points: run.series.len(),
        steps: counted.and_then(|number| number.steps),
        value: counted.map(|number| number.value),
        why_none: match number {
            Err(why) => Some(why_none(run, why)),
            Ok(_) if failed => Some(run.notes.join("; ")),
            Ok(_) => None,
        },
        rollouts: Vec::new(),
    }
}

/// The rollouts of a seed as one run: the mean of those that have a number.
fn together(run: &History, rollouts: Vec<RunValue>) -> RunValue {
    let values: Vec<f64> = rollouts.iter().filter_map(|one| one.value).collect();
    let steps: Vec<[f64; 2]> = rollouts.iter().filter_map(|one| one.steps).collect();
    let mean =
        |of: &dyn Fn(&[f64; 2]) -> f64| steps.iter().map(of).sum::<f64>() / steps.len() as f64;
    let none = values.is_empty();
    RunValue {
        id: format!("{} and {} more rollouts", run.id, rollouts.len() - 1),
        seed: run.seed,
        points: rollouts.iter().map(|one| one.points).sum(),
        steps: (!steps.is_empty()).then(|| [mean(&|steps| steps[0]), mean(&|steps| steps[1])]),
        value: (!none).then(|| values.iter().sum::<f64>() / values.len() as f64),
        why_none: rollouts
            .iter()
            .find_map(|one| one.why_none.clone())
            .filter(|_| none),
        rollouts,
    }
}

impl RunValue {
    /// What came of every rollout.
    pub(super) fn curves(&self) -> &[Self] {
        if self.rollouts.is_empty() {
            std::slice::from_ref(self)
        } else {
            &self.rollouts
        }
    }
}
