//! Scores of several tasks on one scale: raw ones cannot be averaged where one task gives points by the thousand and
//! another by the dozen.

use crate::compare::data::trials::{TrialOfSide, TrialsOfBoth};
use crate::error::AnalysisError;
use fairtrial_model::{Direction, Margin, MetricDeclaration, Reference};
use std::collections::BTreeSet;

/// What stands in the place of the unit.
const NORMALISED: &str = "normalised";

/// Takes the reference points out of a declaration, where each of the tasks that the metric is about has some: however
/// many there are, and whether or not any of their trials worked, so that the scale does not hang on what failed. The
/// declaration is then about the scores between them: 1 is the better end, and the margin is on that scale.
pub(crate) fn between_points(
    declaration: &mut MetricDeclaration,
    tasks: &BTreeSet<&str>,
) -> Result<Option<Reference>, AnalysisError> {
    let has_points = |reference: &mut Reference| {
        !tasks.is_empty() && tasks.iter().all(|task| reference.points(task).is_some())
    };
    let Some(reference) = declaration.reference.take_if(has_points) else {
        return Ok(None);
    };
    if let Some(Margin::Absolute(size)) = declaration.margin {
        let span = reference.one_span(tasks.iter().copied());
        let of_scores = span.map(|span| Margin::Absolute(size / span));
        declaration.margin = Some(of_scores.ok_or_else(|| untranslatable(declaration, size))?);
    }
    declaration.direction = Some(Direction::Up);
    declaration.unit = Some(NORMALISED.to_owned());
    declaration.precision = None;
    Ok(Some(reference))
}

/// A margin in the metric's unit is another score in every task.
fn untranslatable(declaration: &MetricDeclaration, size: f64) -> AnalysisError {
    AnalysisError::Question(format!(
        "the margin {size} of `{}` is in its unit, which is not the same score in every task: their reference points are \
         differently far apart; give a share of the control's score, like 2%",
        declaration.name
    ))
}

/// Leaves pass and fail as they are: 0 and 1 are on one scale already, and their methods need them. Which way is better
/// the points may still say.
pub(crate) fn without_points(declaration: &mut MetricDeclaration) {
    let says = |direction: &Direction| {
        let reference = declaration.reference.as_ref();
        reference.is_some_and(|reference| !reference.contradicts(*direction))
    };
    let said = [Direction::Up, Direction::Down].into_iter().find(says);
    declaration.direction = declaration.direction.or(said);
}

/// Reference points are values of the metric, and what is compared is not.
pub(crate) fn other_scale(declaration: &MetricDeclaration) -> AnalysisError {
    AnalysisError::Question(format!(
        "`{}` is reduced to {}, which do not lie between reference points; leave --reference out",
        declaration.name,
        if declaration.counts_steps() {
            "numbers of steps"
        } else {
            "slopes"
        }
    ))
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
        Some(task) => format!(
            "task `{task}` has no reference points for `{name}`; give them with --reference {task}=ZERO:ONE"
        ),
        None => format!("no task reports `{name}`; leave --reference out"),
    })
}

impl TrialsOfBoth {
    /// The same with every value between the reference points of its task.
    pub(crate) fn between(mut self, reference: &Reference) -> Self {
        let names = &self.task_names;
        let points: Vec<_> = names.iter().map(|task| reference.points(task)).collect();
        let normalise = |row: &mut TrialOfSide| {
            let points = points[row.task as usize];
            row.value = row.value.and_then(|value| Some(points?.normalised(value)));
        };
        self.control.iter_mut().for_each(normalise);
        self.candidate.iter_mut().for_each(normalise);
        self
    }
}
