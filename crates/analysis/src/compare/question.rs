//! Which metrics a comparison is about, with what is declared about them and what the user says instead.

use crate::compare::data::scores;
use crate::compare::data::side::Inputs;
use crate::compare::method::kind::DataKind;
use crate::compare::options::{CompareOptions, Deciding, Role};
use crate::dataset::Dataset;
use crate::error::AnalysisError;
use fairtrial_model::{MetricDeclaration, Reference, without_case};
use std::borrow::Cow;

/// A metric as the comparison sees it.
#[derive(Debug, Clone)]
pub(crate) struct MetricQuestion {
    pub(crate) declaration: MetricDeclaration,
    pub(crate) declared: bool,
    pub(crate) role: Role,
    /// The kind of all its values, where these are a part of them; else they tell.
    pub(crate) kind: Option<DataKind>,
    /// The points that values are put between, where [`scores::between_points`] found that they can be.
    pub(crate) between: Option<Reference>,
}

/// The metrics in question, the primary one first, with what is declared about them and what the user says instead.
pub(crate) fn asked_metrics(
    inputs: Inputs<'_>,
    options: &CompareOptions,
) -> Result<Vec<MetricQuestion>, AnalysisError> {
    let mut reported: Vec<String> = Vec::new();
    for name in inputs.datasets().flat_map(Dataset::metric_names) {
        if !reported.contains(&name) {
            reported.push(name);
        }
    }
    let declared = |name: &str| {
        inputs
            .datasets()
            .find_map(|data| data.declaration(name))
            .map(Cow::into_owned)
    };
    let mut names: Vec<String> = if options.metrics.is_empty() {
        let mut names: Vec<String> = inputs
            .datasets()
            .flat_map(|data| data.declared.iter().map(|metric| metric.name.clone()))
            .collect();
        if names.is_empty() {
            names = without_counters(&inputs, &reported)?;
        }
        // One that is in cases alone is compared where it is asked for, or nothing else is: dozens would widen every interval.
        let in_cases = |name: &String| or_cases(name, &reported) != [name.as_str()];
        if names.iter().all(in_cases) {
            names = (names.iter().flat_map(|name| or_cases(name, &reported))).collect();
        } else {
            names.retain(|name| !in_cases(name));
        }
        if let Some(primary) = &options.primary {
            names.splice(0..0, or_cases(primary, &reported));
        }
        names
    } else {
        let asked = options.metrics.iter();
        asked.flat_map(|name| or_cases(name, &reported)).collect()
    };
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(name.clone());
            true
        }
    });
    if let Some(unknown) = names
        .iter()
        .find(|name| !reported.contains(name) && declared(name).is_none())
    {
        return Err(AnalysisError::Question(format!(
            "no trial reports the metric `{unknown}`; there are {}",
            reported.join(", ")
        )));
    }
    if names.is_empty() {
        return Err(AnalysisError::Question(
            "no trial reports a metric".to_owned(),
        ));
    }
    let asked = |(place, name): (usize, String)| -> Result<MetricQuestion, AnalysisError> {
        let known = declared(&name);
        let is_declared = known.is_some();
        let mut declaration = known.unwrap_or_else(|| MetricDeclaration::named(name.as_str()));
        declaration.margin = options.margin.or(declaration.margin);
        declaration.direct(options.direction);
        if let Some(unit) = options.unit.as_ref().filter(|_| place == 0) {
            measured_in(&mut declaration, unit)?;
        }
        // Points are scores of one metric: those of the user are about the one that decides.
        let given = options.reference.as_ref().filter(|_| place == 0);
        if given.is_some() && !declaration.on_own_scale() {
            return Err(scores::other_scale(&declaration));
        }
        if given.is_some() {
            declaration.reference = given.cloned();
        }
        let contradicts = |direction| {
            let reference = declaration.reference.as_ref();
            reference.is_some_and(|reference| reference.contradicts(direction))
        };
        if declaration.direction.is_some_and(contradicts) {
            return Err(AnalysisError::Question(format!(
                "the reference points of `{name}` have their better end where its direction has the worse one"
            )));
        }
        let tasks = inputs
            .datasets()
            .flat_map(|data| data.reporting_tasks(&name))
            .collect();
        let pass_or_fail = inputs.datasets().all(|data| data.is_pass_or_fail(&name));
        let between = if pass_or_fail {
            scores::without_points(&mut declaration);
            None
        } else {
            scores::between_points(&mut declaration, &tasks)?
        };
        if given.is_some() && between.is_none() && !pass_or_fail {
            return Err(scores::cannot_be_used(&declaration, &tasks));
        }
        Ok(MetricQuestion {
            between,
            declaration,
            declared: is_declared || options.direction.is_some(),
            role: if place == 0 || options.deciding == Deciding::All {
                Role::Primary
            } else {
                Role::Secondary
            },
            kind: None,
        })
    };
    names.into_iter().enumerate().map(asked).collect()
}

/// A metric, or its cases where it is reported in them alone.
pub fn or_cases(name: &str, reported: &[String]) -> Vec<String> {
    let is_case = |of: &&String| matches!(without_case(of), (metric, Some(_)) if metric == name);
    let cases: Vec<String> = reported.iter().filter(is_case).cloned().collect();
    if cases.is_empty() || reported.iter().any(|known| known == name) {
        return vec![name.to_owned()];
    }
    cases
}

/// The metrics that are compared where none is named: a column that counts rows is not one.
fn without_counters(
    inputs: &Inputs<'_>,
    reported: &[String],
) -> Result<Vec<String>, AnalysisError> {
    let counts = |name: &&String| inputs.datasets().any(|data| data.counters.contains(name));
    let (counters, metrics): (Vec<&String>, Vec<&String>) = reported.iter().partition(counts);
    match (counters.first(), metrics.is_empty()) {
        (Some(counter), true) => Err(AnalysisError::Question(format!(
            "the only numbers are in `{counter}`, which seems to count rows: if it is the metric, name it with --metric {counter}"
        ))),
        _ => Ok(metrics.into_iter().cloned().collect()),
    }
}

/// Takes the unit that the user gives. One that is declared says what the numbers are, and is not replaced.
fn measured_in(declaration: &mut MetricDeclaration, unit: &str) -> Result<(), AnalysisError> {
    match &declaration.unit {
        Some(declared) if declared != unit => Err(AnalysisError::Question(format!(
            "`{}` is declared in {declared}, so it cannot be in {unit}",
            declaration.name
        ))),
        _ => {
            declaration.unit = Some(unit.to_owned());
            Ok(())
        }
    }
}
