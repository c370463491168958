//! Why a gate has its answer.

use super::sequential::arm_reason;
use super::verdict::why;
use fairtrial_analysis::compare::{FailureCount, Failures, Word};
use fairtrial_analysis::gate::{GateReason, Held, LineReason, SequentialReason};
use fairtrial_text::share;

/// A reason of the whole answer, without a full stop.
pub(crate) fn gate_reason(reason: &GateReason) -> String {
    match reason {
        GateReason::Line(line) => line_reason(&line.reason),
        GateReason::Infra(side) => format!(
            "{} of {} trials of {} could not be run (infra): nothing is concluded",
            side.infra, side.trials, side.side
        ),
        GateReason::Lost { loss } => format!("{loss}: nothing is concluded"),
        GateReason::Failing { sides, failures } => format!("{sides}: {}", failing(failures)),
        GateReason::NothingWorse => "no metric is worse than its rule allows".to_owned(),
        GateReason::NotJudged { why } => why.clone(),
    }
}

/// Why a line has its answer, without a full stop.
pub(crate) fn line_reason(reason: &LineReason) -> String {
    match reason {
        LineReason::Verdict {
            verdict,
            scale,
            has_margin,
        } => {
            let why = why(verdict, *scale);
            if verdict.word == Word::Inconclusive && !verdict.is_held_back() && !has_margin {
                return format!(
                    "{why}; without a margin nothing can be shown to be equal: declare `margin` or give the rule one"
                );
            }
            why
        }
        LineReason::Failures { failures, p } => {
            format!("{} ({})", failing(failures), share::p_value(*p))
        }
        LineReason::Sequential(reason) => sequential(reason),
    }
}

fn sequential(reason: &SequentialReason) -> String {
    match reason {
        SequentialReason::Open { why } => {
            let why = why.as_ref().map(arm_reason);
            why.unwrap_or_else(|| "not decided yet".to_owned())
        }
        SequentialReason::Identical { pairs } => {
            format!("identical: every value of {pairs} pairs is the same on both sides")
        }
        SequentialReason::Said { stop, pairs, held } => {
            let said = if stop.is_verdict() {
                format!("{} after {pairs} pairs", stop.word())
            } else {
                format!("undecided after {pairs} pairs")
            };
            format!("{said}{}", held_words(stop.word(), held))
        }
    }
}

/// What the margin says beside the run's own word.
fn held_words(said: &str, held: &Held) -> String {
    match held {
        Held::Verdict { verdict, scale } => {
            let agrees = said == verdict.word.text();
            let joined = if agrees { ": " } else { ", but " };
            format!("{joined}{}", why(verdict, Some(*scale)))
        }
        Held::NotBeyondMargin => ", but not surely by more than the margin".to_owned(),
        Held::NoDirection => ", but which way is better is not declared".to_owned(),
    }
}

/// `5 of 5 trials of the candidate fail, 0 of 5 of the control`.
fn failing(failures: &Failures) -> String {
    let words = |count: FailureCount| format!("{} of {}", count.failed, count.trials);
    format!(
        "{} trials of the candidate fail, {} of the control",
        words(failures.candidate),
        words(failures.control)
    )
}
