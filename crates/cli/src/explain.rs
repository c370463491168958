//! Why the engine would not go on, in words for the user.

use crate::exit::Failure;
use fairtrial_engine::EngineError;
use fairtrial_plan::PlanChange;

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
