//! The one parser of durations: `90s`, `2h`, `1h30m`, `250ms`, or a plain number of seconds.

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

#[cfg(test)]
mod tests {
    use super::{DurationError, Seconds, parse_duration};

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
}
