//! The clock for records.

use fairtrial_model::UtcTime;

/// Now, to the microsecond.
pub(crate) fn now() -> UtcTime {
    UtcTime::from_micros(jiff::Timestamp::now().as_microsecond())
}
