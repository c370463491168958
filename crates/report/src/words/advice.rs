//! What would settle an open question.

use fairtrial_analysis::compare::{Advice, UnitKind};

/// ` To settle it: `run --until decided`, or a fresh run of about 31 pairs of seeds. Adding to these …`
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
    let fresh = advice.fresh.map_or(String::new(), |units| {
        let units = fairtrial_text::count::count(units);
        format!(", or a fresh run of about {units} {what}{each}")
    });
    format!(
        " To settle it: `run --until decided`{fresh}. Adding to these and looking again would not keep the error rate."
    )
}
