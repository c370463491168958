//! Everything that speaks against a verdict, asked in one place.

use crate::compare::data::contrasts::PlannedContrast;
use crate::compare::data::mismatch::Mismatch;
use crate::compare::data::side::Inputs;
use crate::compare::method::answer::Answer;
use crate::compare::method::choose::Case;
use crate::compare::objections::definition;
use crate::compare::objections::fairness::Fairness;
use crate::compare::objections::objection::Objection;
use crate::compare::objections::{
    busy_machine, constant_difference, curve_parts, declared, deterministic, fairness,
    few_resamples, final_values, fragile, implementation, labels, large_numbers, machine,
    missing_data, missing_pairs, mixed_code, no_value, not_reached, one_process, resampled_signs,
    same_records, shape, stopped_early, tasks_as_units, tasks_left_out, time_order, too_few_units,
    validity_floor,
};
use crate::compare::options::CompareOptions;
use crate::compare::second_opinions::opinion::SecondOpinions;
use crate::compare::verdict::{Evidence, unopposed};
use fairtrial_stats::{Outcome, Undefined};

/// What is known about a contrast before any of its metrics is looked at.
pub(crate) struct About<'a> {
    pub(crate) inputs: Inputs<'a>,
    pub(crate) options: &'a CompareOptions,
    pub(crate) mismatches: &'a [Mismatch],
    /// What speaks against a verdict about any metric.
    pub(crate) any_metric: Vec<Objection>,
}

impl<'a> About<'a> {
    pub(crate) fn new(
        inputs: Inputs<'a>,
        options: &'a CompareOptions,
        mismatches: &'a [Mismatch],
    ) -> Self {
        Self {
            inputs,
            options,
            mismatches,
            any_metric: Vec::new(),
        }
    }

    /// The same about one contrast.
    pub(crate) fn of(&self, contrast: &PlannedContrast<'_>, fairness: &[Fairness]) -> Self {
        let floor = validity_floor::find(contrast, self.options);
        let known = self.any_metric.iter().cloned();
        let found = floor
            .into_iter()
            .chain(same_records::find(contrast))
            .chain(mixed_code::find(contrast, self.options))
            .chain(fairness::find(fairness));
        Self {
            any_metric: known.chain(found).collect(),
            ..*self
        }
    }

    /// What speaks against a verdict about a metric, whatever its numbers are.
    pub(crate) fn the_contrast(&self, case: &Case) -> Vec<Objection> {
        let (metric, accept) = (&case.declaration.name, &self.options.accept);
        let mut found = self.any_metric.clone();
        found.extend(machine::find(case.kind, self.mismatches, accept));
        found.extend(busy_machine::find(metric, self.inputs));
        found.extend(implementation::find(self.mismatches));
        found.extend(definition::find(metric, self.mismatches, accept));
        found.extend(stopped_early::find(metric, self.inputs));
        found
    }
}

/// What speaks against a verdict in the data themselves.
pub(crate) fn about_the_data(
    case: &Case,
    answered: &Outcome<Answer>,
    alpha: f64,
) -> Vec<Objection> {
    let evidence = case.evidence(answered);
    let word = unopposed(&evidence, &case.rule());
    let mut found: Vec<Objection> = Vec::new();
    found.extend(one_process::find(case));
    found.extend(time_order::find(case));
    found.extend(declared::find(case));
    found.extend(not_reached::find(case, word));
    found.extend(curve_parts::find(&case.trials, &case.declaration));
    found.extend(final_values::find(case));
    found.extend(tasks_left_out::find(case));
    found.extend(large_numbers::find(case));
    found.extend(tasks_as_units::find(case));
    found.extend(too_few_units::shaky(case));
    found.extend(deterministic::find(case));
    found.extend(few_resamples::find(case));
    found.extend(resampled_signs::find(case, word, alpha));
    found.extend(labels::find(case, word, alpha));
    if let (Evidence::Nothing, Err(why)) = (evidence, answered) {
        found.push(nothing(case, why));
    } else {
        let missing = missing_pairs::find(case);
        found.extend(missing.or_else(|| missing_data::find(case, word, alpha)));
    }
    found
}

/// Why there is nothing to judge.
fn nothing(case: &Case, why: &Undefined) -> Objection {
    no_value::find(case).unwrap_or_else(|| match why {
        Undefined::ZeroVariance { .. } => constant_difference::found(case),
        why => too_few_units::no_interval(case, why),
    })
}

/// What the second opinions make doubtful; `p` is that of the verdict's method.
pub(crate) fn about_the_opinions(
    case: &Case,
    opinions: &SecondOpinions,
    p: Option<f64>,
    alpha: f64,
) -> Vec<Objection> {
    let fragile = fragile::find(opinions.leave_one_out.as_ref());
    let shape = shape::find(case, opinions, p, alpha);
    fragile.into_iter().chain(shape).collect()
}
