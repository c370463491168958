//! Times as other tools write them.

use fairtrial_model::UtcTime;

/// A time as text: RFC 3339, or a civil time, which is taken for UTC.
pub(crate) fn from_text(text: &str) -> Option<UtcTime> {
    UtcTime::from_civil(text.trim().trim_end_matches(" UTC"))
}

/// Seconds since 1970.
pub(crate) fn from_seconds(seconds: f64) -> Option<UtcTime> {
    let micros = seconds * 1e6;
    // Beyond this no calendar goes.
    (micros.abs() < 2e17).then(|| UtcTime::from_micros(micros as i64))
}

/// Seconds between two times.
pub(crate) fn seconds_between(from: UtcTime, to: UtcTime) -> f64 {
    (to.as_micros() - from.as_micros()) as f64 / 1e6
}
