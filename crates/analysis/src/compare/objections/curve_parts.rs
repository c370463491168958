//! Which steps of their curves the numbers of the two sides are about. A curve that rises has a larger average where it is
//! longer, so that the same learner would be called better for having run longer, or for having logged more rarely.

use crate::compare::data::trials::{TrialOfSide, TrialsOfBoth};
use crate::compare::objections::objection::{Objection, ObjectionKind};
use fairtrial_model::{MetricDeclaration, SeriesSummary, SummaryKind};
use std::collections::BTreeMap;

/// How far the parts may lie apart, as a share of the longer side's curves. Runs seldom end at the very same step.
const ALIKE: f64 = 0.01;

/// The parts of one side's curves, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct CurveParts {
    from: f64,
    to: f64,
    length: f64,
    curves: f64,
}

impl CurveParts {
    /// Adds a number that is about `part` of the curve over the steps `whole`.
    pub(crate) fn add(&mut self, part: [f64; 2], whole: [f64; 2]) {
        self.from += part[0];
        self.to += part[1];
        self.length += whole[1] - whole[0];
        self.curves += 1.0;
    }

    fn mean(&self) -> Option<([f64; 2], f64)> {
        let of = |sum: f64| sum / self.curves;
        (self.curves > 0.0).then(|| ([of(self.from), of(self.to)], of(self.length)))
    }

    /// What there is to say where the two sides are about different parts.
    pub(crate) fn differ(&self, candidate: &Self) -> Option<ObjectionKind> {
        let (control, length) = self.mean()?;
        let (candidate, other) = candidate.mean()?;
        let apart = (control[0] - candidate[0])
            .abs()
            .max((control[1] - candidate[1]).abs());
        (apart > ALIKE * length.max(other))
            .then_some(ObjectionKind::OtherParts { control, candidate })
    }
}

/// The objection to numbers in records that are about different parts: no verdict, except on a last value. The last value of
/// a run that went on for longer is still what the run came to; an average or a slope is of another thing.
pub(crate) fn find(trials: &TrialsOfBoth, declaration: &MetricDeclaration) -> Option<Objection> {
    Some(objection(of_records(trials, declaration)?, declaration))
}

/// The same for the steps of two sides' curves, without tasks.
pub(crate) fn of_steps(
    sides: &[Vec<[f64; 2]>; 2],
    declaration: &MetricDeclaration,
) -> Option<Objection> {
    let [control, candidate] = [0, 1].map(|side: usize| {
        let mut parts = CurveParts::default();
        for whole in sides[side].iter().filter(|[first, last]| last > first) {
            if let Some(part) = part(declaration.summary.as_ref(), *whole) {
                parts.add(part, *whole);
            }
        }
        parts
    });
    Some(objection(control.differ(&candidate)?, declaration))
}

fn objection(kind: ObjectionKind, declaration: &MetricDeclaration) -> Objection {
    let summary = declaration.summary.as_ref().map(|summary| summary.kind);
    match summary {
        None | Some(SummaryKind::Last) => Objection::noted(kind),
        Some(_) => Objection::caps(kind),
    }
}

/// The same for the numbers in records, from the steps that stand beside them: in the first task in which they differ.
fn of_records(trials: &TrialsOfBoth, declaration: &MetricDeclaration) -> Option<ObjectionKind> {
    let summary = declaration.summary.as_ref();
    let side = |trials: &[TrialOfSide]| {
        let mut by_task: BTreeMap<u32, CurveParts> = BTreeMap::new();
        for trial in trials.iter().filter(|trial| trial.value.is_some()) {
            // A single point is no curve.
            let whole = trial.steps.filter(|[first, last]| last > first);
            if let Some((part, whole)) =
                whole.and_then(|whole| Some((part(summary, whole)?, whole)))
            {
                by_task.entry(trial.task).or_default().add(part, whole);
            }
        }
        by_task
    };
    let (control, candidate) = (side(&trials.control), side(&trials.candidate));
    let mut tasks = control.iter();
    tasks.find_map(|(task, parts)| parts.differ(candidate.get(task)?))
}

/// The part of a curve that a declared summary looks at; none where that is the same for every run.
fn part(summary: Option<&SeriesSummary>, [first, last]: [f64; 2]) -> Option<[f64; 2]> {
    let Some(summary) = summary else {
        return Some([last, last]);
    };
    match (summary.kind, summary.percent) {
        (SummaryKind::AtStep | SummaryKind::TimeTo, _) => None,
        (SummaryKind::Last | SummaryKind::LastN, _) => Some([last, last]),
        (_, Some(share)) => Some([last - share * (last - first), last]),
        (_, None) => Some([
            summary.step_min.unwrap_or(first),
            summary.step_max.unwrap_or(last),
        ]),
    }
}
