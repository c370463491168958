//! Why a verdict has its word.

use super::objection::objection;
use fairtrial_analysis::compare::{Reason, Scale, Verdict};
use fairtrial_text::share::p_value;

/// Why, without a full stop; `scale` is the one that the verdict was made on.
pub(crate) fn why(verdict: &Verdict, scale: Option<Scale>) -> String {
    let held_back: Vec<String> = verdict.held_back_by().map(objection).collect();
    if held_back.is_empty() {
        reason(verdict.reason, scale)
    } else {
        held_back.join("; ")
    }
}

/// The words for a reason.
fn reason(reason: Reason, scale: Option<Scale>) -> String {
    let zero = zero(scale);
    match reason {
        Reason::ExcludesZero => format!("the interval excludes {zero}"),
        Reason::BeyondMargin => "the whole interval lies beyond the margin".to_owned(),
        Reason::InsideMargin { differs: false } => {
            "the whole interval lies inside the margin".to_owned()
        }
        Reason::InsideMargin { differs: true } => {
            "there is a difference, but the whole interval lies inside the margin".to_owned()
        }
        Reason::NoLoss => "the interval rules out a loss as large as the margin".to_owned(),
        Reason::IncludesZero => {
            format!("the interval includes {zero} and differences large enough to matter")
        }
        Reason::NotBeyondMargin => {
            format!("the interval excludes {zero}, but is not wholly beyond the margin")
        }
        Reason::NoDirection => {
            format!("the interval excludes {zero}, but which way is better is not declared")
        }
        Reason::TestDisagrees { p, needed } => {
            let needed = (needed * 1e4).round() / 1e4;
            format!(
                "the interval excludes {zero}, but the test does not rule it out ({}, needed {needed})",
                p_value(p)
            )
        }
        Reason::Same => "every value is the same on both sides".to_owned(),
        Reason::HeldBack => "there is nothing to compare".to_owned(),
    }
}

const fn zero(scale: Option<Scale>) -> &'static str {
    match scale {
        Some(Scale::Ratio) => "a ratio of 1",
        _ => "0",
    }
}
