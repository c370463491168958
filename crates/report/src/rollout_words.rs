//! How numbers and notes about rollouts are written.

use fairtrial_stats::Interval;
use fairtrial_text::share::percent;

/// Notes of one kind.
const MOST_NOTES: usize = 20;

/// The first notes of many, and how many more there are.
pub(crate) fn first(all: impl ExactSizeIterator<Item = String>, what: &str) -> Vec<String> {
    let left = all.len().saturating_sub(MOST_NOTES);
    let mut some: Vec<String> = all.take(MOST_NOTES).collect();
    if left > 0 {
        some.push(format!("... and {left} more {what}."));
    }
    some
}

/// A share with its interval.
pub(crate) fn estimate(found: Option<(f64, Option<Interval>)>) -> String {
    let Some((value, interval)) = found else {
        return "N/A".to_owned();
    };
    let range = interval.map(|range| format!(" [{}, {}]", share(range.low), share(range.high)));
    format!("{}{}", percent(value), range.unwrap_or_default())
}

/// An end of an interval of a share, which cannot lie outside of 0 to 1.
fn share(end: f64) -> String {
    percent(end.clamp(0.0, 1.0))
}
