//! Times in files: always UTC, to the microsecond, and the stamp that names a run.

use jiff::civil::DateTime;
use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A point in time, UTC, written as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtcTime(pub Timestamp);

impl UtcTime {
    /// From microseconds since 1970.
    pub fn from_micros(micros: i64) -> Self {
        Self(Timestamp::from_microsecond(micros).unwrap_or_default())
    }

    /// So long before this.
    #[must_use]
    pub fn before(self, by: Duration) -> Self {
        // To the microsecond, as everything here.
        let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        Self::from_micros(self.0.as_microsecond().saturating_sub(micros))
    }
}

impl fmt::Display for UtcTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The UTC second that names a run, `20250824__12-34-56`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(i64);

/// Text that is not a stamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a stamp like 20250824__12-34-56")]
pub struct StampError(pub String);

const STAMP_FORMAT: &str = "%Y%m%d__%H-%M-%S";

impl Stamp {
    /// The stamp of the second in which `time` lies.
    pub fn of(time: UtcTime) -> Self {
        Self(time.0.as_second())
    }

    /// The next second: where two runs start in one second, the later takes the next free stamp.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = Timestamp::from_second(self.0)
            .unwrap_or_default()
            .to_zoned(TimeZone::UTC);
        write!(f, "{}", time.strftime(STAMP_FORMAT))
    }
}

impl FromStr for Stamp {
    type Err = StampError;

    fn from_str(text: &str) -> Result<Self, StampError> {
        let bad = || StampError(text.to_owned());
        let civil = DateTime::strptime(STAMP_FORMAT, text).map_err(|_| bad())?;
        let stamp = Self(
            civil
                .to_zoned(TimeZone::UTC)
                .map_err(|_| bad())?
                .timestamp()
                .as_second(),
        );
        // Only the canonical spelling names a directory.
        if stamp.to_string() == text {
            Ok(stamp)
        } else {
            Err(bad())
        }
    }
}

impl Serialize for Stamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::{Stamp, UtcTime};

    #[test]
    fn stamps_round_trip() {
        let stamp: Stamp = "20250824__12-34-56".parse().unwrap();
        assert_eq!(stamp.to_string(), "20250824__12-34-56");
        assert_eq!(stamp.next().to_string(), "20250824__12-34-57");
        assert!("2025-08-24".parse::<Stamp>().is_err());
        assert!("20250824__12-34-5".parse::<Stamp>().is_err());
    }

    #[test]
    fn times_are_rfc3339() {
        let time = UtcTime::from_micros(1_756_038_896_123_456);
        assert_eq!(
            serde_json::to_string(&time).unwrap(),
            "\"2025-08-24T12:34:56.123456Z\""
        );
    }
}
