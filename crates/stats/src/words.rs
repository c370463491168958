//! Evidence in words.

/// Evidence in words: whether the interval of an effect leaves zero outside.
pub(crate) fn against(zero: f64, interval: &crate::Interval) -> &'static str {
    if interval.contains(zero) {
        "no difference is among the plausible values"
    } else {
        "no difference is ruled out"
    }
}
