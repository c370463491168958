//! Reads times as people and programs write them: RFC 3339 and what is near it, dates of headers, stamps of runs.

use super::civil::{Civil, SECONDS};

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Text that is read from its left end.
struct Left<'a>(&'a [u8]);

impl Left<'_> {
    /// The next byte, where it is one of these.
    fn any(&mut self, of: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        of.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    /// A number of exactly so many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (taken, rest) = self.0.split_at_checked(digits)?;
        let all = taken.iter().all(u8::is_ascii_digit);
        self.0 = if all { rest } else { self.0 };
        let value = |taken: &[u8]| taken.iter().fold(0, |n, b| n * 10 + i64::from(b - b'0'));
        all.then(|| value(taken))
    }

    /// Microseconds after a point or comma; what is finer is cut off.
    fn fraction(&mut self) -> Option<i64> {
        if self.any(b".,").is_none() {
            return Some(0);
        }
        let (mut micros, mut place) = (0, 100_000);
        let mut digits = 0;
        while let Some(digit) = self.number(1) {
            micros += digit * place;
            place /= 10;
            digits += 1;
        }
        (digits > 0).then_some(micros)
    }

    /// Seconds to the east of Greenwich.
    fn zone(&mut self) -> Option<i64> {
        if self.any(b"Zz").is_some() {
            return Some(0);
        }
        let sign = if self.any(b"+-")? == b'-' { -1 } else { 1 };
        let hours = self.number(2)?;
        let minutes = match self.any(b":") {
            Some(_) => self.number(2)?,
            None => self.number(2).unwrap_or(0),
        };
        (hours <= 25 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
    }
}

/// A date with or without a time of day, in microseconds since 1970; the zone may be wanted.
pub(super) fn time(text: &str, zone_is_needed: bool) -> Option<i64> {
    let mut left = Left(text.as_bytes());
    let year = left.number(4)?;
    let dashes = left.any(b"-").is_some();
    let month = left.number(2)?;
    if dashes {
        left.any(b"-")?;
    }
    let mut civil = Civil {
        year,
        month,
        day: left.number(2)?,
        hour: 0,
        minute: 0,
        second: 0,
    };
    let mut micros = 0;
    let mut zone = None;
    if left.any(b"Tt ").is_some() {
        civil.hour = left.number(2)?;
        let colons = left.any(b":").is_some();
        civil.minute = left.number(2)?;
        if !colons || left.any(b":").is_some() {
            civil.second = left.number(2)?;
            micros = left.fraction()?;
        }
        if !left.0.is_empty() {
            zone = Some(left.zone()?);
        }
    }
    let done = left.0.is_empty() && (zone.is_some() || !zone_is_needed);
    let seconds = civil.seconds().filter(|_| done)? - zone.unwrap_or(0);
    SECONDS
        .contains(&seconds)
        .then_some(seconds * 1_000_000 + micros)
}

/// `Sun, 24 Aug 2025 12:34:56 GMT`, with or without the day of the week and the seconds, in microseconds since 1970.
pub(super) fn header(text: &str) -> Option<i64> {
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let words: Vec<&str> = text.split_whitespace().collect();
    let &[day, month, year, clock, zone] = &words[..] else {
        return None;
    };
    let month = MONTHS
        .iter()
        .position(|of| of.eq_ignore_ascii_case(month))?
        + 1;
    let mut parts = clock.split(':').map(|part| Left(part.as_bytes()).number(2));
    let civil = Civil {
        year: Left(year.as_bytes()).number(4)?,
        month: month as i64,
        day: day.parse().ok()?,
        hour: parts.next()??,
        minute: parts.next()??,
        second: parts.next().unwrap_or(Some(0))?,
    };
    let east = match zone {
        "GMT" | "UT" | "UTC" | "Z" => 0,
        zone => Left(zone.as_bytes()).zone()?,
    };
    let seconds = civil.seconds()? - east;
    Some(seconds * 1_000_000)
}

/// `20250824__12-34-56`.
pub(super) fn stamp(text: &str) -> Option<i64> {
    let mut left = Left(text.as_bytes());
    let (year, month, day) = (left.number(4)?, left.number(2)?, left.number(2)?);
    left.any(b"_")?;
    left.any(b"_")?;
    let hour = left.number(2)?;
    left.any(b"-")?;
    let minute = left.number(2)?;
    left.any(b"-")?;
    let civil = Civil {
        year,
        month,
        day,
        hour,
        minute,
        second: left.number(2)?,
    };
    civil.seconds()
}

#[cfg(test)]
mod tests {
    use super::{header, time};

    const AT: i64 = 1_756_038_896_000_000;

    #[test]
    fn times_are_read_as_others_write_them() {
        for (text, micros) in [
            ("2025-08-24T12:34:56Z", AT),
            ("2025-08-24 14:34:56+02:00", AT),
            ("2025-08-24t12:34:56.250z", AT + 250_000),
            ("2025-08-24T12:34:56.123456789+0000", AT + 123_456),
            ("2025-08-24T07:04:56,5-05:30", AT + 500_000),
            ("2025-08-24T12:34:56-00", AT),
            ("20250824T123456Z", AT),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000_000),
        ] {
            assert_eq!(time(text, true), Some(micros), "{text}");
        }
        for (text, micros) in [
            ("2025-08-24", AT - 45_296_000_000),
            ("2025-08-24 12:34", AT - 56_000_000),
            ("2025-08-24T12:34:56.5", AT + 500_000),
        ] {
            assert_eq!(time(text, false), Some(micros), "{text}");
            assert_eq!(time(text, true), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "soon",
            "2025",
            "2025-13-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2025-08-24T24:00:00Z",
            "2025-08-24T12:60:00Z",
            "2025-08-24T12:34:56.Z",
            "2025-08-24T12:34:56Zulu",
            "2025-08-24T12:34:56+2",
            "0000-01-01T00:00:00+01:00",
            "2025-0824T12:34:56Z",
        ] {
            assert_eq!(time(text, false), None, "{text}");
        }
    }

    #[test]
    fn dates_of_headers_are_read() {
        for text in [
            "Sun, 24 Aug 2025 12:34:56 GMT",
            "24 Aug 2025 14:34:56 +0200",
            "Sun, 24 aug 2025 12:34:56 UTC",
        ] {
            assert_eq!(header(text), Some(AT), "{text}");
        }
        for text in [
            "Sun, 24 Aug 2025",
            "24 Foo 2025 12:34:56 GMT",
            "20",
            "24 Aug 2025 12:34:56 EST",
        ] {
            assert_eq!(header(text), None, "{text}");
        }
    }
}
