//! Times in files: always UTC, to the microsecond, and the stamp that names a run.

mod civil;
mod read;

use civil::{Civil, SECONDS};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A point in time, UTC, in microseconds since 1970; written as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcTime(i64);

/// Text that is no point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time like 2025-08-24T12:34:56Z")]
pub struct TimeError(pub String);

impl UtcTime {
    /// From microseconds since 1970; times that no calendar of four digits has become 1970.
    pub const fn from_micros(micros: i64) -> Self {
        let seconds = micros.div_euclid(1_000_000);
        if seconds < *SECONDS.start() || seconds > *SECONDS.end() {
            return Self(0);
        }
        Self(micros)
    }

    /// What the clock of the machine says.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self::from_micros(since.map_or(0, |since| since.as_micros() as i64))
    }

    /// Microseconds since 1970.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// So long before this.
    #[must_use]
    pub fn before(self, by: Duration) -> Self {
        let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        Self::from_micros(self.0.saturating_sub(micros))
    }

    /// So long after this.
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        Self::from_micros(self.0.saturating_add(micros))
    }

    /// Reads a point in time, or a civil time without a zone, which is taken for UTC.
    pub fn from_civil(text: &str) -> Option<Self> {
        read::time(text, false).map(Self)
    }

    /// Reads the date of a header of HTTP or mail, as `Sun, 24 Aug 2025 12:34:56 GMT`.
    pub fn from_header(text: &str) -> Option<Self> {
        read::header(text).map(Self::from_micros)
    }

    const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }
}

impl fmt::Display for UtcTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = Civil::of(self.seconds());
        let Civil {
            year, month, day, ..
        } = civil;
        let Civil {
            hour,
            minute,
            second,
            ..
        } = civil;
        // Digit by digit: a log of 10,000 samples has twice as many times.
        let mut text = *b"0000-00-00T00:00:00.000000Z";
        let fields = [
            (year, 0..4),
            (month, 5..7),
            (day, 8..10),
            (hour, 11..13),
            (minute, 14..16),
            (second, 17..19),
            (self.0.rem_euclid(1_000_000), 20..26),
        ];
        for (mut rest, places) in fields {
            for digit in text[places].iter_mut().rev() {
                *digit = b'0' + rest.rem_euclid(10) as u8;
                rest = rest.div_euclid(10);
            }
        }
        let mut end = 26;
        while text[end - 1] == b'0' && end > 20 {
            end -= 1;
        }
        if end == 20 {
            // A whole second has no point.
            end = 19;
        }
        text[end] = b'Z';
        f.write_str(str::from_utf8(&text[..=end]).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for UtcTime {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let micros = read::time(text, true);
        micros.map(Self).ok_or_else(|| TimeError(text.to_owned()))
    }
}

impl Serialize for UtcTime {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UtcTime {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The UTC second that names a run, `20250824__12-34-56`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(i64);

/// Text that is not a stamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a stamp like 20250824__12-34-56")]
pub struct StampError(pub String);

impl Stamp {
    /// The stamp of the second in which `time` lies.
    pub fn of(time: UtcTime) -> Self {
        Self(time.seconds())
    }

    /// The next second: where two runs start in one second, the later takes the next free stamp.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = Civil::of(self.0);
        let Civil {
            year, month, day, ..
        } = civil;
        let Civil {
            hour,
            minute,
            second,
            ..
        } = civil;
        write!(
            f,
            "{year:04}{month:02}{day:02}__{hour:02}-{minute:02}-{second:02}"
        )
    }
}

impl FromStr for Stamp {
    type Err = StampError;

    fn from_str(text: &str) -> Result<Self, StampError> {
        let stamp = read::stamp(text).map(Self);
        // Only the canonical spelling names a directory.
        let canonical = stamp.filter(|stamp| stamp.to_string() == text);
        canonical.ok_or_else(|| StampError(text.to_owned()))
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
    use std::time::Duration;

    #[test]
    fn stamps_round_trip() {
        let stamp: Stamp = "20250824__12-34-56".parse().unwrap();
        assert_eq!(stamp.to_string(), "20250824__12-34-56");
        assert_eq!(stamp.next().to_string(), "20250824__12-34-57");
        for bad in [
            "2025-08-24",
            "20250824__12-34-5",
            "20250824__12-34-60",
            "20250230__12-34-56",
            "+0250824__12-34-56",
            "２0250824__12-34-56",
            "20250824__12-34-567",
        ] {
            assert!(bad.parse::<Stamp>().is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_rfc3339() {
        let time = UtcTime::from_micros(1_756_038_896_123_456);
        let text = "\"2025-08-24T12:34:56.123456Z\"";
        assert_eq!(serde_json::to_string(&time).unwrap(), text);
        assert_eq!(serde_json::from_str::<UtcTime>(text).unwrap(), time);
        for (micros, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (100_000, "1970-01-01T00:00:00.1Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
            (-62_167_219_200_000_000, "0000-01-01T00:00:00Z"),
        ] {
            let time = UtcTime::from_micros(micros);
            assert_eq!(time.to_string(), text);
            assert_eq!(text.parse(), Ok(time));
        }
        assert_eq!(UtcTime::from_micros(i64::MAX), UtcTime::from_micros(0));
    }

    #[test]
    fn every_day_of_eight_centuries_is_written_and_read_alike() {
        let mut before = String::new();
        for day in -150_000..150_000_i64 {
            let time = UtcTime::from_micros(day * 86_400_000_000);
            let text = time.to_string();
            assert_eq!(text.parse(), Ok(time));
            assert!(text > before, "{before} {text}");
            before = text;
        }
    }

    #[test]
    fn before_and_after_stay_in_the_calendar() {
        let time = UtcTime::from_micros(5);
        let day = Duration::from_hours(24);
        assert_eq!(time.after(day).before(day), time);
        assert_eq!(time.before(Duration::MAX), UtcTime::from_micros(0));
    }
}
