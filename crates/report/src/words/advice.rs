//! What would settle an open question.

use fairtrial_analysis::compare::{Advice, UnitKind};

/// ` About 12 more pairs of seeds would settle it.`
pub(crate) fn advice(advice: &Advice) -> String {
    let word = advice.unit.word();
    let what = match (advice.paired, advice.unit) {
        (true, UnitKind::Task) => "tasks".to_owned(),
        (true, _) => format!("pairs of {word}s"),
        (false, _) => format!("{word}s on each side"),
    };
    let each = if advice.in_each_task {
        " in each task"
    } else {
        ""
    };
    format!(
        " About {} more {what}{each} would settle it.",
        fairtrial_text::count::count(advice.units)
    )
}
