//! What changed between two plans, said field by field, so that nobody wonders why a trial runs again.

use crate::Plan;
use fairtrial_model::Identity;
use serde::Serialize;
use std::collections::HashMap;

/// The difference of two plans.
#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct PlanChange {
    /// Trials that are the same in both.
    pub same: u64,
    /// Trials that only the new plan has.
    pub added: u64,
    /// Trials that only the old plan has.
    pub removed: u64,
    /// Trials in both whose identity differs.
    pub changed: u64,
    /// The fields that differ, the most frequent first.
    pub fields: Vec<FieldChange>,
}

/// One field that differs in some trials.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldChange {
    /// The field.
    pub field: &'static str,
    /// In how many trials.
    pub trials: u64,
    /// A trial in which it differs.
    pub example: String,
    /// Its value there before.
    pub before: String,
    /// Its value there now.
    pub after: String,
}

pub(crate) fn compare(earlier: &Plan, later: &Plan) -> PlanChange {
    let mut before: HashMap<String, Identity> = earlier
        .trials()
        .map(|trial| (trial.key.label().to_string(), trial.identity()))
        .collect();
    let mut change = PlanChange::default();
    for trial in later.trials() {
        let label = trial.key.label().to_string();
        let identity = trial.identity();
        match before.remove(&label) {
            None => change.added += 1,
            Some(old) if old == identity => change.same += 1,
            Some(old) => {
                change.changed += 1;
                for (field, after, before) in identity.differences(&old) {
                    note(&mut change.fields, field, &label, before, after);
                }
            }
        }
    }
    change.removed = before.len() as u64;
    change
        .fields
        .sort_by_key(|field| std::cmp::Reverse(field.trials));
    change
}

fn note(
    fields: &mut Vec<FieldChange>,
    field: &'static str,
    label: &str,
    before: &str,
    after: &str,
) {
    match fields.iter_mut().find(|known| known.field == field) {
        Some(known) => known.trials += 1,
        None => fields.push(FieldChange {
            field,
            trials: 1,
            example: label.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        }),
    }
}
