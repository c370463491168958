//! Durations: `90s`, `2h`, `1h30m`, `250ms` or a plain number of seconds as specs have them, `2 min 03 s` for people.

use crate::significant::significant;
use std::fmt;

/// Why a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// No characters.
    #[error("a duration is empty")]
    Empty,
    /// Where a number should stand there is something else.
    #[error("`{0}` has no number where one is expected")]
    Number(String),
    /// A unit that is not known.
    #[error("`{0}` is not a unit of time (ms, s, m, h, d)")]
    Unit(String),
    /// Below zero, or too large to be one.
    #[error("a duration must be zero or more, and finite")]
    Range,
}

/// How durations are written, for messages.
pub const DURATION_FORM: &str =
    "a duration like \"90s\", \"1h30m\", \"250ms\" or a number of seconds";

/// Seconds from a text such as `1h30m`; a text without a unit is a number of seconds.
pub fn parse_duration(text: &str) -> Result<f64, DurationError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(DurationError::Empty);
    }
    if let Ok(seconds) = text.parse::<f64>() {
        return in_range(seconds);
    }
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let (seconds, after) = leading_part(rest)?;
        total += seconds;
        rest = after.trim_start();
    }
    in_range(total)
}

fn leading_part(text: &str) -> Result<(f64, &str), DurationError> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    let (number, rest) = text.split_at(digits.unwrap_or(text.len()));
    let number: f64 = number
        .parse()
        .map_err(|_| DurationError::Number(text.to_owned()))?;
    let rest = rest.trim_start();
    let letters = rest
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(letters);
    let scale = unit_seconds(unit).ok_or_else(|| DurationError::Unit(unit.to_owned()))?;
    Ok((number * scale, rest))
}

fn unit_seconds(unit: &str) -> Option<f64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "ms" => 1e-3,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86400.0,
        _ => return None,
    })
}

/// The limit keeps sums of durations and conversions to `std::time::Duration` safe (about 31,700 years).
const MAX_SECONDS: f64 = 1e12;

fn in_range(seconds: f64) -> Result<f64, DurationError> {
    if (0.0..=MAX_SECONDS).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(DurationError::Range)
    }
}

/// Displays seconds in the form that [`parse_duration`] reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds(pub f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0;
        if seconds < 60.0 || seconds.fract() != 0.0 || seconds > MAX_SECONDS {
            return write!(f, "{seconds}s");
        }
        let whole = seconds as u64;
        for (amount, unit) in [
            (whole / 3600, "h"),
            (whole / 60 % 60, "m"),
            (whole % 60, "s"),
        ] {
            if amount > 0 {
                write!(f, "{amount}{unit}")?;
            }
        }
        Ok(())
    }
}

/// Seconds as a person says them: `250 ms`, `1.50 s`, `2 min 03 s`, `1 h 05 min`.
pub fn span(s: f64) -> String {
    if !s.is_finite() || s < 0.0 {
        return significant(s, 4) + " s";
    }
    let whole = s.round() as u64;
    match s {
        0.0 => "0 s".to_owned(),
        _ if s < 0.000_999_5 => format!("{:.0} µs", s * 1e6),
        _ if s < 0.9995 => format!("{:.0} ms", s * 1e3),
        _ if s < 9.995 => format!("{s:.2} s"),
        _ if s < 59.95 => format!("{s:.1} s"),
        _ if whole < 3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{DurationError, Seconds, parse_duration, span};
    use proptest::prelude::*;

    #[test]
    fn every_documented_form() {
        for (text, seconds) in [
            ("2h", 7200.0),
            ("1h30m", 5400.0),
            ("1h 30m", 5400.0),
            ("90s", 90.0),
            ("250ms", 0.25),
            ("1.5h", 5400.0),
            ("90", 90.0),
            ("0.5", 0.5),
            ("2 days", 172_800.0),
            ("0s", 0.0),
        ] {
            assert_eq!(parse_duration(text), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(parse_duration(" "), Err(DurationError::Empty));
        assert_eq!(parse_duration("-5"), Err(DurationError::Range));
        assert_eq!(parse_duration("nan"), Err(DurationError::Range));
        assert_eq!(
            parse_duration("2 weeks"),
            Err(DurationError::Unit("weeks".into()))
        );
        assert_eq!(
            parse_duration("1h30"),
            Err(DurationError::Unit(String::new()))
        );
        assert_eq!(
            parse_duration("soon"),
            Err(DurationError::Number("soon".into()))
        );
    }

    #[test]
    fn the_display_form_is_read_back() {
        for seconds in [0.0, 0.25, 59.0, 60.0, 61.5, 3600.0, 5400.0, 93_784.0] {
            let text = Seconds(seconds).to_string();
            assert_eq!(parse_duration(&text), Ok(seconds), "{text}");
        }
        assert_eq!(Seconds(5400.0).to_string(), "1h30m");
    }

    #[test]
    fn people_are_told_the_units_that_say_something() {
        let shown = [
            0.0, 5e-5, 0.25, 0.9999, 12.42, 123.4, 3900.0, 7170.0, 7199.6, 200_000.0,
        ]
        .map(span);
        let wanted = [
            "0 s",
            "50 µs",
            "250 ms",
            "1.00 s",
            "12.4 s",
            "2 min 03 s",
            "1 h 05 min",
            "1 h 59 min",
            "2 h 00 min",
            "55 h 33 min",
        ];
        assert_eq!(shown, wanted);
    }

    proptest! {
        #[test]
        fn any_duration_is_read_back(seconds in 0.0..1e12f64, whole in 0u64..1_000_000_000_000) {
            for seconds in [seconds, whole as f64] {
                let read = parse_duration(&Seconds(seconds).to_string()).unwrap();
                prop_assert!((read - seconds).abs() <= seconds * 1e-12);
            }
        }
    }
}
