//! `compare`: the contrasts that are asked for, metric by metric.

use crate::compare::data::contrasts::{PlannedContrast, plan};
use crate::compare::data::mismatch_find;
use crate::compare::data::side::Inputs;
use crate::compare::judgement::judge;
use crate::compare::method::choose::Case;
use crate::compare::method::family::{FamilyPlace, Test, places};
use crate::compare::objections::collect::About;
use crate::compare::objections::objection::Objection;
use crate::compare::objections::{fairness, stopped_early};
use crate::compare::options::{CompareOptions, Role};
use crate::compare::question::{MetricQuestion, asked_metrics};
use crate::compare::ranking::arms;
use crate::compare::result::{COMPARISON_SCHEMA, Comparison, Contrast};
use crate::compare::{failures, tasks};
use crate::error::AnalysisError;
use rayon::prelude::*;

/// Compares.
pub fn compare(inputs: Inputs<'_>, options: &CompareOptions) -> Result<Comparison, AnalysisError> {
    compare_despite(inputs, options, &[])
}

/// Compares, with objections that the caller knows of.
pub(crate) fn compare_despite(
    inputs: Inputs<'_>,
    options: &CompareOptions,
    objections: &[Objection],
) -> Result<Comparison, AnalysisError> {
    options.check()?;
    let planned = plan(inputs, options)?;
    let questions = asked_metrics(inputs, options)?;
    let mismatches = mismatch_find::find(inputs, &planned, &questions);
    let cases: Vec<Vec<Case>> = planned
        .iter()
        .map(|contrast| cases_of(contrast, &questions, options))
        .collect();
    if cases.iter().all(Vec::is_empty) {
        return Err(AnalysisError::Question(
            "no metric has a value on either side".to_owned(),
        ));
    }
    let cases = in_families(cases, options.alpha);
    let places = family_places(&cases, options.alpha);
    let mut contrasts = Vec::with_capacity(planned.len());
    for ((contrast, cases), places) in planned.iter().zip(&cases).zip(places) {
        // Of several sources, what one differs in says nothing about the others.
        let own = matches!(inputs, Inputs::Several(_))
            .then(|| mismatch_find::of_contrast(contrast, &questions));
        let about = About {
            any_metric: objections.to_vec(),
            ..About::new(inputs, options, own.as_deref().unwrap_or(&mismatches))
        };
        contrasts.push(judge_contrast(contrast, cases, &places, &about));
    }
    Ok(Comparison {
        schema: COMPARISON_SCHEMA,
        alpha: options.alpha,
        rankings: arms::rank(inputs, &planned, &questions[0], options),
        mismatches,
        contrasts,
        problems: inputs
            .datasets()
            .flat_map(|data| data.problems.clone())
            .collect(),
    })
}

/// The cases of one contrast; a metric that neither side reports has none, unless it is the primary one.
fn cases_of(
    contrast: &PlannedContrast<'_>,
    questions: &[MetricQuestion],
    options: &CompareOptions,
) -> Vec<Case> {
    let case = |question: &MetricQuestion| {
        let trials = contrast.trials(&question.declaration.name);
        Case::new(trials, question, options)
    };
    // Of 100,000 trials, each metric takes a while.
    let cases = questions.par_iter().map(case);
    cases
        .filter(|case| case.role == Role::Primary || !case.units.rows.is_empty())
        .collect()
}

/// The cases with the methods that fit the size of their family.
fn in_families(cases: Vec<Vec<Case>>, alpha: f64) -> Vec<Vec<Case>> {
    let of_role = |role: Role| {
        cases
            .iter()
            .flatten()
            .filter(|case| case.role == role)
            .count()
    };
    let (primary, secondary) = (of_role(Role::Primary), of_role(Role::Secondary));
    let settled = |case: Case| match case.role {
        Role::Primary => case.among(primary, alpha),
        Role::Secondary => case.among(secondary, alpha),
    };
    let of_contrast = |cases: Vec<Case>| cases.into_iter().map(settled).collect();
    cases.into_iter().map(of_contrast).collect()
}

/// Every case's place in its family: primary metric × contrasts, and the secondary ones on their own.
fn family_places(cases: &[Vec<Case>], alpha: f64) -> Vec<Vec<FamilyPlace>> {
    let of_role = |role: Role| {
        let of_role = cases.iter().flatten().filter(|case| case.role == role);
        let tests: Vec<Test> = of_role.map(|case| case.test(alpha)).collect();
        places(&tests, alpha).into_iter()
    };
    let (mut primary, mut secondary) = (of_role(Role::Primary), of_role(Role::Secondary));
    let mut place = |case: &Case| match case.role {
        Role::Primary => primary.next(),
        Role::Secondary => secondary.next(),
    };
    cases
        .iter()
        .map(|cases| cases.iter().filter_map(&mut place).collect())
        .collect()
}

fn judge_contrast(
    contrast: &PlannedContrast<'_>,
    cases: &[Case],
    places: &[FamilyPlace],
    about: &About<'_>,
) -> Contrast {
    let fairness = fairness::check(contrast, &about.options.equal);
    let about = about.of(contrast, &fairness);
    let judged = cases.par_iter().zip(places).map(|(case, place)| {
        let metric = judge(case, *place, &about);
        // What looked at the whole many times says nothing about its parts either.
        let is_whole = stopped_early::find(&metric.metric, about.inputs).is_some();
        let tasks = (!is_whole).then(|| tasks::lines(case, &metric.verdict, about.options));
        (metric, tasks.unwrap_or_default())
    });
    let (metrics, tasks): (Vec<_>, Vec<_>) = judged.unzip();
    Contrast {
        control: contrast.control.name(),
        candidate: contrast.candidate.name(),
        point: contrast.point().clone(),
        failures: failures::count(contrast.trials("")),
        objections: about.any_metric,
        fairness,
        metrics,
        tasks: tasks.into_iter().flatten().collect(),
    }
}
