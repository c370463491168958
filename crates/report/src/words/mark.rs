//! Why a line of a posted table has its mark.

use super::method::units;
use super::verdict::why;
use fairtrial_analysis::compare::MetricComparison;
use fairtrial_analysis::tables::{MarkReason, Noise, PostedLine};
use fairtrial_model::Margin;
use fairtrial_text::share;

/// The words, without a full stop.
pub(crate) fn mark_reason(line: &PostedLine) -> String {
    match line.reason {
        MarkReason::NoNumber => "a side has no number".to_owned(),
        MarkReason::Same => "the same".to_owned(),
        MarkReason::AnyDifference => "any difference counts".to_owned(),
        MarkReason::Count => "a count has no noise".to_owned(),
        MarkReason::Compared => line.comparison.as_ref().map_or(String::new(), |metric| {
            let scale = metric.effect.as_ref().map(|effect| effect.scale);
            format!("{}: {}", evidence(line, metric), why(&metric.verdict, scale))
        }),
        MarkReason::NoiseUnknown => {
            "the noise is not known: repeat the runs, keep the episode files of both sides, or declare a `margin`"
                .to_owned()
        }
        MarkReason::BeyondMargin { margin } => {
            format!("beyond the declared margin of {}", size(margin))
        }
        MarkReason::WithinMargin { margin, rounding } => {
            let rounding = if rounding {
                ", counting what the column rounds away"
            } else {
                ""
            };
            format!("within the declared margin of {}{rounding}", size(margin))
        }
    }
}

fn size(margin: Margin) -> String {
    match margin {
        Margin::Absolute(size) => size.to_string(),
        Margin::Relative(share) => share::percent(share),
    }
}

/// What stands behind the comparison.
fn evidence(line: &PostedLine, metric: &MetricComparison) -> String {
    let count = &metric.count;
    match (line.noise, count.paired) {
        (Some(Noise::Episodes), true) => format!("{} episodes in pairs", count.control),
        (Some(Noise::Episodes | Noise::Counts), _) => {
            format!("{} against {} episodes", count.control, count.candidate)
        }
        _ => units(count),
    }
}
