//! What changed between two plans, said field by field, so that nobody wonders why a trial runs again.

use crate::identity::deciding;
use crate::plan::Plan;
use fairtrial_model::Identity;
use serde::Serialize;
use serde_json::{Map, Value};
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
    /// What differs where all trials are the same, by its place in the spec: `tasks.train.inherit_env.deny`, with its
    /// value before and now.
    pub beside: Vec<(String, String, String)>,
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

impl Plan {
    /// What differs from an earlier plan, trial by trial.
    pub fn changes_since(&self, earlier: &Self) -> PlanChange {
        compare(earlier, self)
    }
}

fn compare(earlier: &Plan, later: &Plan) -> PlanChange {
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
    if change.changed + change.added + change.removed == 0 {
        change.beside = beside(earlier, later);
    }
    change
        .fields
        .sort_by_key(|field| std::cmp::Reverse(field.trials));
    change
}

/// What decides two plans with the same trials, where it differs.
fn beside(earlier: &Plan, later: &Plan) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let [old, new] = [earlier, later].map(|plan| deciding(plan.spec()));
    differences("", &old, &new, &mut found);
    let shown = |value: Option<Value>| value.map_or("none".to_owned(), |value| value.to_string());
    let found = found.into_iter();
    found
        .map(|one| (one.key, shown(one.before), shown(one.after)))
        .collect()
}

fn note(
    fields: &mut Vec<FieldChange>,
    field: &'static str,
    label: &str,
    before: &str,
    after: &str,
) {
    if let Some(known) = fields.iter_mut().find(|known| known.field == field) {
        known.trials += 1;
        return;
    }
    let (before, after) = narrowed(before, after);
    fields.push(FieldChange {
        field,
        trials: 1,
        example: label.to_owned(),
        before,
        after,
    });
}

/// Two values without what is the same in both: an agent task is a large table of which a line changed.
fn narrowed(before: &str, after: &str) -> (String, String) {
    let table = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    let (Some(old), Some(new)) = (table(before), table(after)) else {
        return (before.to_owned(), after.to_owned());
    };
    let mut differing = Vec::new();
    differences("", &old, &new, &mut differing);
    let side = |pick: fn(&Difference) -> Option<&Value>| {
        let shown = differing.iter().map(|difference| match pick(difference) {
            Some(value) => format!("{}: {value}", difference.key),
            None => format!("no {}", difference.key),
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    (
        side(|difference| difference.before.as_ref()),
        side(|difference| difference.after.as_ref()),
    )
}

/// A value that two tables do not share.
struct Difference {
    key: String,
    before: Option<Value>,
    after: Option<Value>,
}

fn differences(
    path: &str,
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let at = format!("{path}{key}");
        match (old.get(key), new.get(key)) {
            (before, after) if before == after => {}
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                differences(&format!("{at}."), before, after, found);
            }
            (before, after) => found.push(Difference {
                key: at,
                before: before.cloned(),
                after: after.cloned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::narrowed;

    #[test]
    fn of_a_large_table_only_what_changed_is_said() {
        let old = r#"{"dir":"t","digest":"a","options":{"agent":{"name":"nop","max_cost":1.0},"setup":["x"]}}"#;
        let new = r#"{"dir":"t","digest":"b","options":{"agent":{"name":"nop"},"setup":["y"]}}"#;
        assert_eq!(
            narrowed(old, new),
            (
                r#"digest: "a", options.agent.max_cost: 1.0, options.setup: ["x"]"#.to_owned(),
                r#"digest: "b", no options.agent.max_cost, options.setup: ["y"]"#.to_owned()
            )
        );
        assert_eq!(narrowed("5", "[6]"), ("5".to_owned(), "[6]".to_owned()));
    }
}
