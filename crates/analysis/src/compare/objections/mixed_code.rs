//! Trials of one side, or of two arms of one run, that ran different versions of the same code.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::side::ComparedSide;
use crate::compare::objections::objection::{Objection, ObjectionKind};
use crate::compare::options::CompareOptions;
use crate::dataset::FactKind;
use crate::ran_code::CodeMixture;
use std::collections::BTreeMap;

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
    let code = &sides.first()?.data.code;
    let mut tasks: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
    for trial in sides.iter().flat_map(|side| side.trials()) {
        let ran = trial.code.map(|state| (state, trial.index));
        tasks.entry(trial.task).or_default().extend(ran);
    }
    tasks.into_values().find_map(|mut ran| {
        ran.sort_unstable_by_key(|(_, index)| *index);
        code.mixture(ran.into_iter())
    })
}
