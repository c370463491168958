//! Trials of one side, or of two arms of one run, that ran different versions of the same code.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::side::ComparedSide;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::options::CompareOptions;
use crate::dataset::{FactKind, Trial};
use crate::ran_code::CodeMixture;

/// What is mixed. Two sources may differ in their code: that is what they are compared for; each must be of one.
pub(crate) fn find(contrast: &PlannedContrast<'_>, options: &CompareOptions) -> Option<Objection> {
    let (control, candidate) = (&contrast.control, &contrast.candidate);
    let mixture = if std::ptr::eq(control.data, candidate.data) {
        mixed(&[control, candidate])
    } else {
        mixed(&[control]).or_else(|| mixed(&[candidate]))
    };
    let accepted = control.data.accepts_code && candidate.data.accepts_code
        || options.accept.contains(&FactKind::Code);
    Some(found(mixture?, accepted))
}

/// What a mixture does, whether somebody accepted it or not.
pub(crate) fn found(mixture: CodeMixture, accepted: bool) -> Objection {
    let kind = ObjectionKind::MixedCode(mixture);
    if accepted {
        Objection::noted(kind)
    } else {
        Objection::caps(kind)
    }
}

/// The first task whose trials of these sides mix versions.
fn mixed(sides: &[&ComparedSide<'_>]) -> Option<CodeMixture> {
    let data = sides.first()?.data;
    let is_of = |trial: &Trial, side: &ComparedSide<'_>| {
        *data.arms.get(trial.arm) == side.arm
            && *data.points.get(trial.point) == side.point.to_string()
    };
    let mine: Vec<&Trial> = data
        .trials
        .iter()
        .filter(|trial| trial.code.is_some() && sides.iter().any(|side| is_of(trial, side)))
        .collect();
    let mut tasks: Vec<u32> = mine.iter().map(|trial| trial.task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    tasks.into_iter().find_map(|task| {
        let of_task = mine.iter().filter(|trial| trial.task == task);
        data.code
            .mixture(of_task.filter_map(|it| Some((it.code?, it.index))))
    })
}
