//! Why the engine would not go on, in words for the user.

use crate::exit::Failure;
use fairtrial_engine::EngineError;
use fairtrial_plan::PlanChange;
use fairtrial_text::excerpt::excerpt;

/// A changed spec is explained field by field.
pub(crate) fn explain(error: EngineError) -> Failure {
    let EngineError::SpecChanged { change, .. } = &error else {
        return error.into();
    };
    let mut message = format!("{error}: {}", change_words(change));
    if change.changed + change.added + change.removed == 0 && change.beside.is_empty() {
        message.push_str("; the text of `--only` or the version of fairtrial is another");
    }
    Failure::input(message).hint(
        "`--reuse` starts a new run that keeps the unchanged trials; `--resume --as-recorded` finishes the old one as \
         it was",
    )
}

/// What changed between two plans.
pub(crate) fn change_words(change: &PlanChange) -> String {
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
