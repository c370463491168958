//! Scores of several tasks on one scale: raw ones cannot be averaged where one task gives points by the thousand and
//! another by the dozen.

use super::sides::{Row, SideRows};
use crate::AnalysisError;
use fairtrial_model::{Direction, MetricDeclaration, Reference};
use std::collections::BTreeSet;

/// What stands in the place of the unit.
const NORMALISED: &str = "normalised";

/// Takes the reference points out of a declaration, where several tasks report the metric and each of them has some. The
/// declaration is then about the scores between them: 1 is the better end, and a margin is on that scale.
pub(crate) fn between_points(
    declaration: &mut MetricDeclaration,
    tasks: &BTreeSet<&str>,
) -> Option<Reference> {
    let has_points = |reference: &mut Reference| {
        tasks.len() > 1 && tasks.iter().all(|task| reference.points(task).is_some())
    };
    let reference = declaration.reference.take_if(has_points)?;
    declaration.direction = Some(Direction::Up);
    declaration.unit = Some(NORMALISED.to_owned());
    declaration.precision = None;
    Some(reference)
}

/// Why reference points that a user gave are of no use.
pub(crate) fn cannot_be_used(
    declaration: &MetricDeclaration,
    tasks: &BTreeSet<&str>,
) -> AnalysisError {
    let name = &declaration.name;
    let has_none = |task: &&&str| {
        let reference = declaration.reference.as_ref();
        reference.is_none_or(|reference| reference.points(task).is_none())
    };
    AnalysisError::Question(match tasks.iter().find(has_none) {
        Some(task) if tasks.len() > 1 => format!(
            "task `{task}` reports `{name}` and has no reference points; give them with --reference {task}=ZERO:ONE"
        ),
        _ => format!(
            "reference points put several tasks on one scale, and `{name}` is not reported by several; leave --reference \
             out"
        ),
    })
}

impl SideRows {
    /// The same with every value between the reference points of its task.
    pub(crate) fn between(mut self, reference: &Reference) -> Self {
        let names = &self.task_names;
        let points: Vec<_> = names.iter().map(|task| reference.points(task)).collect();
        let normalise = |row: &mut Row| {
            let points = points[row.task as usize];
            row.value = row.value.and_then(|value| Some(points?.normalised(value)));
        };
        self.control.iter_mut().for_each(normalise);
        self.candidate.iter_mut().for_each(normalise);
        self
    }
}
