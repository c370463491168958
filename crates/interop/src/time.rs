//! Times as other tools write them.

use fairtrial_model::UtcTime;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A time as text: RFC 3339, or a civil time, which is taken for UTC.
pub(crate) fn from_text(text: &str) -> Option<UtcTime> {
    let text = text.trim();
    if let Ok(time) = text.parse() {
        return Some(UtcTime(time));
    }
    let civil: DateTime = text.trim_end_matches(" UTC").parse().ok()?;
    let zoned = civil.to_zoned(TimeZone::UTC).ok()?;
    Some(UtcTime(zoned.timestamp()))
}

/// Seconds since 1970.
pub(crate) fn from_seconds(seconds: f64) -> Option<UtcTime> {
    let micros = seconds * 1e6;
    // Beyond this no calendar goes.
    (micros.abs() < 2e17).then(|| UtcTime::from_micros(micros as i64))
}

/// Seconds between two times.
pub(crate) fn seconds_between(from: UtcTime, to: UtcTime) -> f64 {
    (to.0.as_microsecond() - from.0.as_microsecond()) as f64 / 1e6
}
