//! Whether a run that was closed as finished still has all its records. Files are damaged and copied in part after a run
//! has ended, and what is left of it looks like a smaller run, which no plan and no stopping rule made.

use fairtrial_journal::{RunState, RunStatus};

/// Why a run that came to its end must not be judged by what is left of it. `by_looking` is one that may have stopped
/// before all its trials had their turn.
pub(super) fn loss(label: &str, state: &RunState, by_looking: bool) -> Option<String> {
    let (_, RunStatus::Finished) = state.closed()? else {
        return None;
    };
    let recorded = state.counts.total();
    let planned = state.opened.as_ref().map_or(0, |opened| opened.trials);
    let mut lost = Vec::new();
    match state.problems.len() {
        0 => {}
        1 => lost.push("a line of its journal is damaged".to_owned()),
        many => lost.push(format!("{many} lines of its journal are damaged")),
    }
    if recorded < planned && !by_looking {
        let missing = planned - recorded;
        lost.push(format!("{missing} of {planned} trials have no record"));
    }
    (!lost.is_empty()).then(|| {
        let lost = lost.join(", and ");
        format!("{label} has lost records since it was finished: {lost}")
    })
}
