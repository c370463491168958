//! Nothing varies and the sides differ, so that chance has no measure.

use crate::compare::method::choose::Case;
use crate::compare::method::kind::Scale;
use crate::compare::objections::objection::{
    ConstantDifference, Objection, ObjectionKind, TaskDifference,
};

/// How the sides differ where nothing varies.
pub(crate) fn found(case: &Case) -> Objection {
    let ratio = case.scale == Scale::Ratio;
    let shown = |difference: f64| if ratio { difference.exp() } else { difference };
    let strata = case.sample.strata.iter();
    let differences = strata.filter_map(|of| Some(of.candidate.first()? - of.control.first()?));
    let by_task = case.units.used_task_names().zip(differences);
    let by_task = by_task.map(|(task, difference)| TaskDifference {
        task: task.to_owned(),
        value: shown(difference),
    });
    Objection::withholds(ObjectionKind::ConstantDifference(ConstantDifference {
        by_task: by_task.collect(),
        ratio,
        rounded: !case.sample.has_one_difference(),
    }))
}
