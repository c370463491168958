//! Durations as tables write them: `2h56m`, `25m`, `33s`, `1h6m20s`.

use super::cell::{CellNumber, NumberStyle};
use crate::digits::Digits;

/// `2h56m`, `25m`, `33s`, `1h6m20s`.
pub(super) fn read_duration(text: &str) -> Option<CellNumber> {
    let mut seconds = 0.0;
    let mut rest = text;
    let mut units = String::new();
    let mut decimals = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (digits, after) = rest.split_at(end);
        let amount: f64 = digits.parse().ok()?;
        decimals = digits.split_once('.').map_or(0, |(_, part)| part.len());
        let unit = after.chars().next()?;
        // Units come once each, the largest first.
        let size = match unit {
            'h' if units.is_empty() => 3600.0,
            'm' if units.is_empty() || units == "h" => 60.0,
            's' if !units.contains('s') => 1.0,
            _ => return None,
        };
        units.push(unit);
        seconds += amount * size;
        rest = &after[1..];
    }
    if units.is_empty() {
        return None;
    }
    let style = if units == "s" {
        NumberStyle::Seconds
    } else {
        let seconds = units.contains('s');
        NumberStyle::Clock { seconds }
    };
    Some(CellNumber {
        value: seconds,
        style,
        decimals: u8::try_from(decimals).unwrap_or(u8::MAX),
    })
}

/// Where hours and minutes are written, seconds are so only below a minute, or in every cell once some have them.
pub(super) fn join_durations(cells: &mut [(&str, CellNumber)]) {
    let has = |style| cells.iter().any(|(_, number)| number.style == style);
    let with_seconds = NumberStyle::Clock { seconds: true };
    let without = NumberStyle::Clock { seconds: false };
    let clock = match (has(with_seconds), has(without)) {
        (true, _) => with_seconds,
        (false, true) => without,
        (false, false) => return,
    };
    let durations = cells.iter_mut().map(|(_, number)| number);
    for number in durations.filter(|number| number.style.is_duration()) {
        number.style = clock;
    }
}

/// Hours and minutes, and the seconds where they are asked for or all that there is.
pub(super) fn clock(value: f64, with_seconds: bool) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    let value = value.abs();
    let whole = value.round_ties_even() as u64;
    if whole < 60 {
        return format!("{sign}{}s", below_a_minute(value));
    }
    let (minutes, rest) = if with_seconds {
        (whole / 60, format!("{}s", whole % 60))
    } else {
        ((value / 60.0).round_ties_even() as u64, String::new())
    };
    if minutes >= 60 {
        format!("{sign}{}h{}m{rest}", minutes / 60, minutes % 60)
    } else {
        format!("{sign}{minutes}m{rest}")
    }
}

/// Whole seconds, and two digits of less than one.
fn below_a_minute(seconds: f64) -> String {
    if seconds >= 1.0 {
        return format!("{seconds:.0}");
    }
    let rounded: f64 = format!("{seconds:.1e}").parse().unwrap_or(seconds);
    format!("{rounded}")
}

/// What the last digit of what [`clock`] writes stands for.
pub(super) fn step(value: f64, with_seconds: bool) -> f64 {
    let value = value.abs();
    if value < 1.0 {
        Digits::scientific(1).last(value)
    } else if with_seconds || value < 60.0 {
        1.0
    } else {
        60.0
    }
}
