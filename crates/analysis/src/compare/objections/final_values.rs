//! A summary of a series is declared, and trials gave final values instead: the number is not what it is called.

use crate::compare::data::trials::TrialOfSide;
use crate::compare::method::choose::Case;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use fairtrial_model::{MetricDeclaration, Outcome, SummaryKind};

/// Where only some of the trials gave a series, two kinds of number are compared, and nothing is concluded.
pub(crate) fn find(case: &Case) -> Option<Objection> {
    if !summarises(&case.declaration) {
        return None;
    }
    let trials = &case.trials;
    let valued = |trial: &&TrialOfSide| trial.value.is_some() && trial.outcome == Outcome::Ok;
    let of = trials.all().filter(valued).count();
    let finals = |side: &[TrialOfSide]| {
        let valued = side.iter().filter(valued);
        valued.filter(|trial| trial.steps.is_none()).count()
    };
    let (control, candidate) = (finals(&trials.control), finals(&trials.candidate));
    let kind = ObjectionKind::OnlyFinalValues {
        control,
        candidate,
        of,
    };
    match control + candidate {
        0 => None,
        some if some == of => Some(Objection::noted(kind)),
        _ => Some(Objection::caps(kind)),
    }
}

/// Whether the declaration makes one number from many.
fn summarises(declaration: &MetricDeclaration) -> bool {
    let summary = declaration.summary.as_ref();
    summary.is_some_and(|summary| summary.kind != SummaryKind::Last)
}
