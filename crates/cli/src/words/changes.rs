//! What changed between two plans.

use fairtrial_plan::PlanChange;

/// What changed, field by field.
pub(super) fn change_words(change: &PlanChange) -> String {
    let PlanChange {
        same,
        added,
        removed,
        changed,
        fields,
        beside,
    } = change;
    let mut words = format!(
        "{same} trials are the same, {changed} changed, {added} are new, {removed} are gone"
    );
    let cut = |text: &str| {
        if text.chars().count() > 60 {
            text.chars().take(57).collect::<String>() + "..."
        } else {
            text.to_owned()
        }
    };
    for (key, before, after) in beside {
        let (before, after) = (cut(before), cut(after));
        let line = format!("\n       `{key}` changed: `{before}` before, `{after}` now");
        words.push_str(&line);
    }
    for field in fields {
        let (before, after) = (cut(&field.before), cut(&field.after));
        let line = format!(
            "\n       `{}` differs in {} (for example {}: `{before}` before, `{after}` now)",
            field.field, field.trials, field.example
        );
        words.push_str(&line);
    }
    words
}
