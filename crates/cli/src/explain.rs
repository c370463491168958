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
    if change.changed == 0 && change.added == 0 && change.removed == 0 {
        message.push_str("; the order of trials or a metric's source changed");
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
    } = change;
    let mut words = format!(
        "{same} trials are the same, {changed} changed, {added} are new, {removed} are gone"
    );
    for field in fields {
        let cut = |text: &str| {
            if text.chars().count() > 60 {
                text.chars().take(57).collect::<String>() + "..."
            } else {
                text.to_owned()
            }
        };
        let (before, after) = (cut(&field.before), cut(&field.after));
        let line = format!(
            "\n       `{}` differs in {} (for example {}: `{before}` before, `{after}` now)",
            field.field, field.trials, field.example
        );
        words.push_str(&line);
    }
    words
}
