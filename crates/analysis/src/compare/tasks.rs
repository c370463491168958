//! The same comparison task by task: where the whole comes from. A family of its own that decides nothing.

use crate::compare::judgement::{count, judge_part};
use crate::compare::method::choose::Case;
use crate::compare::method::family::{FamilyPlace, Test, places};
use crate::compare::objections::objection::Objection;
use crate::compare::options::{CompareOptions, Role};
use crate::compare::question::MetricQuestion;
use crate::compare::result::TaskLine;
use crate::compare::verdict::Verdict;

/// The tasks of a case whose verdict is `whole`; none where it has only one.
pub(crate) fn lines(case: &Case, whole: &Verdict, options: &CompareOptions) -> Vec<TaskLine> {
    if case.units.task_names.len() < 2 {
        return Vec::new();
    }
    let question = MetricQuestion {
        declaration: case.declaration.clone(),
        declared: case.declared,
        role: Role::Secondary,
        // One task's scores may all happen to be 0 or 1.
        kind: Some(case.kind),
        // Its trials are put between their points already.
        between: None,
    };
    let cases: Vec<Case> = (case.trials.by_task())
        .map(|trials| Case::new(trials, &question, options))
        .filter(|case| !case.units.rows.is_empty())
        .collect();
    if cases.len() < 2 {
        return Vec::new();
    }
    let tests = cases.len();
    let cases: Vec<Case> = cases
        .into_iter()
        .map(|case| case.among(tests, options.alpha))
        .collect();
    let tests: Vec<Test> = cases.iter().map(|case| case.test(options.alpha)).collect();
    let places = places(&tests, options.alpha);
    let lines = cases.iter().zip(places);
    lines
        .map(|(case, place)| line(case, place, whole))
        .collect()
}

fn line(case: &Case, place: FamilyPlace, whole: &Verdict) -> TaskLine {
    let (verdict, effect) = judge_part(case, place.alpha, whole);
    let hidden = verdict.objections.iter().any(Objection::hides_numbers);
    let (control, candidate) = (case.control_centre(), case.candidate_centre());
    let between = control
        .zip(candidate)
        .map(|(control, candidate)| candidate - control);
    let difference = (effect.as_ref()).map_or(between, |effect| Some(effect.absolute.value));
    TaskLine {
        task: case.units.task_names[0].clone(),
        metric: case.declaration.name.clone(),
        verdict,
        control,
        candidate,
        difference: difference.filter(|_| !hidden),
        effect,
        count: count(case),
        adjusted_p: place.adjusted_p.filter(|_| !hidden),
    }
}
