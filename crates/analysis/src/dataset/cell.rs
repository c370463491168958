//! One cell of a table: a number, nothing, or words. What could be read as two different numbers is read as none.

use fairtrial_model::Number;

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    /// Nothing, or one of the usual marks for a value that is missing.
    Missing,
    /// A number, also one with commas between thousands; `nan` and `inf` are values too.
    Number(f64),
    /// A number with a percent sign: 95, where `95%` is written.
    Percent(f64),
    /// `true` or `false`: 1 or 0, in a column that holds nothing else.
    Boolean(bool),
    /// Digits with commas that do not stand between thousands: `0,95` is 0.95 to some and 95 to others.
    Unclear,
    /// Anything else.
    Words,
}

impl Cell {
    /// Reads a cell.
    pub(super) fn read(text: &str) -> Self {
        let text = text.trim();
        if is_missing(text) {
            return Self::Missing;
        }
        if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
            return Self::Boolean(text.eq_ignore_ascii_case("true"));
        }
        let bare = text.trim_end_matches('%').trim_end();
        let found = |number: Number| {
            if bare.len() < text.len() {
                Self::Percent(number.0)
            } else {
                Self::Number(number.0)
            }
        };
        if let Some(number) = Number::parse(bare) {
            return found(number);
        }
        let numeric =
            |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '+' | '-' | '\'' | ' ');
        if !bare.contains(',') || !bare.chars().all(numeric) {
            return Self::Words;
        }
        match Number::parse(&bare.replace(',', "")) {
            Some(number) if commas_between_thousands(bare) => found(number),
            _ => Self::Unclear,
        }
    }

    /// The number that it holds.
    pub(super) const fn value(self) -> Option<f64> {
        match self {
            Self::Number(value) | Self::Percent(value) => Some(value),
            Self::Boolean(true) => Some(1.0),
            Self::Boolean(false) => Some(0.0),
            Self::Missing | Self::Unclear | Self::Words => None,
        }
    }
}

/// Whether a cell says that there is no value. `nan` is no such mark: it is what a program computed.
fn is_missing(text: &str) -> bool {
    let marks = ["", "-", "–", "—", "na", "n/a", "#n/a", "null", "none"];
    marks.contains(&text.to_lowercase().as_str())
}

/// `1,234` and `-12,345.6`, but neither `0,95` nor `1,23` nor `0,950`.
fn commas_between_thousands(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let digits = |group: &str| group.chars().all(|c| c.is_ascii_digit());
    (1..=3).contains(&first.len())
        && digits(first)
        && !first.starts_with('0')
        && !fraction.contains(',')
        && groups.all(|group| group.len() == 3 && digits(group))
}

#[cfg(test)]
mod tests {
    use super::Cell;

    #[test]
    fn commas_stand_between_thousands_or_are_not_read() {
        for (text, number) in [
            ("1,234", 1234.0),
            ("-12,345.5", -12345.5),
            ("1,234,567", 1_234_567.0),
            ("1e-3", 1e-3),
        ] {
            assert_eq!(Cell::read(text), Cell::Number(number), "{text}");
        }
        for (text, number) in [("95 %", 95.0), ("1,234%", 1234.0)] {
            assert_eq!(Cell::read(text), Cell::Percent(number), "{text}");
        }
        for text in [
            "0,95",
            "0,950",
            "1,23",
            "1.234,5",
            "12,34,567",
            "1234,567",
            "95,5 %",
        ] {
            assert_eq!(Cell::read(text), Cell::Unclear, "{text}");
        }
    }

    #[test]
    fn marks_of_missing_values_are_neither_numbers_nor_words() {
        for text in ["", " ", "-", "NA", "N/A", "n/a", "null", "None"] {
            assert_eq!(Cell::read(text), Cell::Missing, "{text}");
        }
        assert!(matches!(Cell::read("NaN"), Cell::Number(x) if x.is_nan()));
        assert_eq!(Cell::read("inf"), Cell::Number(f64::INFINITY));
        assert_eq!(Cell::read("abc"), Cell::Words);
        assert_eq!(Cell::read("a, b"), Cell::Words);
    }
}
