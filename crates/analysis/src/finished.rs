//! Whether a run came to its end. A verdict on a part of a run is a look that no error rate accounts for: whoever looks
//! at a part decides when to stop looking. All that judge a run ask here; what they do about it is theirs to say.

use fairtrial_journal::{RunState, RunStatus};

/// Why a run must not be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unfinished {
    /// How its last controller left it; absent where that still goes on or was killed.
    pub left: Option<RunStatus>,
}

impl Unfinished {
    /// Of a run that its last controller left like this; nothing where it is finished.
    pub const fn of(left: Option<RunStatus>) -> Option<Self> {
        match left {
            Some(RunStatus::Finished) => None,
            left => Some(Self { left }),
        }
    }

    /// Of a run with this journal.
    pub fn of_state(state: &RunState) -> Option<Self> {
        Self::of(state.closed().map(|(_, status)| status))
    }

    /// Why there is no verdict on it.
    pub(crate) const fn no_verdict() -> &'static str {
        "the run is not finished, and a verdict on a part of it would be a look that no error rate accounts for"
    }

    /// What must be known before a verdict that is given all the same.
    pub(crate) fn warning(label: &str, state: &RunState) -> String {
        let answered = state.counts.total() - state.counts.cancelled;
        let planned = state.opened.as_ref().map_or(0, |opened| opened.trials);
        format!(
            "{label} is not finished: {answered} of {planned} trials are done, and a verdict on a part of a run \
             is a look that no error rate accounts for"
        )
    }
}

impl std::fmt::Display for Unfinished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.left {
            Some(status) => write!(f, "not finished: {status}"),
            None => f.write_str("not finished: not closed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Unfinished;
    use fairtrial_journal::RunStatus;

    #[test]
    fn only_a_run_that_was_closed_as_finished_is() {
        let of = |status| Unfinished::of(Some(status));
        assert_eq!(of(RunStatus::Finished), None);
        for status in [
            RunStatus::Cancelled,
            RunStatus::Budget,
            RunStatus::Error,
            RunStatus::Detached,
        ] {
            assert_eq!(of(status).unwrap().left, Some(status));
        }
        let open = Unfinished::of(None).unwrap();
        assert_eq!(open.to_string(), "not finished: not closed");
    }
}
