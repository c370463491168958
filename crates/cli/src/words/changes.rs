//! What changed between two plans.

use fairtrial_engine::CodeChange;
use fairtrial_plan::PlanChange;
use fairtrial_text::count::{counted, first_of};
use fairtrial_text::excerpt::excerpt;

/// What changed in the code of trials that have an answer; absent where nothing did.
pub(crate) fn code_words(code: &CodeChange) -> Option<String> {
    (!code.is_nothing()).then(|| {
        format!(
            "{} changed: {}",
            counted(code.trials.len() as u64, "trial"),
            first_of(&code.names, 5)
        )
    })
}

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
    for (key, before, after) in beside {
        let (before, after) = (excerpt(before, 60), excerpt(after, 60));
        let line = format!("\n       `{key}` changed: `{before}` before, `{after}` now");
        words.push_str(&line);
    }
    for field in fields {
        let (before, after) = (excerpt(&field.before, 60), excerpt(&field.after, 60));
        let line = format!(
            "\n       `{}` differs in {} (for example {}: `{before}` before, `{after}` now)",
            field.field, field.trials, field.example
        );
        words.push_str(&line);
    }
    words
}
