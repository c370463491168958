//! Numbers with an exponent (`1e-3`, `1.50E+05`), and how a column writes its own.

use super::decimals::Decimals;
use crate::digits::Digits;

/// Decimals before the exponent that a column has room for when its cells do not tell: `1e-3` is how a round number is
/// written, not a column of one digit.
const ROOM: u8 = 2;

/// What an exponent looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exponent {
    /// `e` or `E`.
    pub mark: char,
    /// Whether `+` stands before a positive one: `1e+5`.
    pub plus: bool,
    /// Whether it has two digits at least: `1e-03`.
    pub padded: bool,
}

impl Exponent {
    /// The exponent of a number; nothing where it has none.
    pub(super) fn of(digits: &str) -> Option<Self> {
        let (place, mark) = digits
            .char_indices()
            .find(|(_, c)| matches!(c, 'e' | 'E'))?;
        let power = &digits[place + 1..];
        let bare = power.trim_start_matches(['+', '-']);
        Some(Self {
            mark,
            plus: power.starts_with('+'),
            padded: bare.len() > 1 && bare.starts_with('0'),
        })
    }

    /// What the exponents of a column have in common. Whoever pads them writes the sign too.
    pub(super) fn common(mut all: impl Iterator<Item = Self>) -> Option<Self> {
        let first = all.next()?;
        let joined = all.fold(first, |known, other| Self {
            mark: known.mark,
            plus: known.plus || other.plus,
            padded: known.padded || other.padded,
        });
        Some(Self {
            plus: joined.plus || joined.padded,
            ..joined
        })
    }
}

/// How a column writes numbers with an exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scientific {
    pub(super) look: Exponent,
    pub(super) decimals: Decimals,
}

impl Scientific {
    /// From the exponents and the decimals before them. Fixed decimals stay; where numbers have as many as they need,
    /// there is room for some.
    pub(super) fn new(look: Exponent, decimals: Decimals) -> Self {
        let decimals = match decimals {
            Decimals::Fixed(0) | Decimals::Shortest => Decimals::Trimmed(ROOM),
            Decimals::Trimmed(most) => Decimals::Trimmed(most.max(ROOM)),
            fixed @ Decimals::Fixed(_) => fixed,
        };
        Self { look, decimals }
    }

    pub(super) fn digits(&self) -> Digits {
        match self.decimals {
            Decimals::Fixed(decimals) | Decimals::Trimmed(decimals) => Digits::scientific(decimals),
            Decimals::Shortest => Digits::scientific(ROOM),
        }
    }

    /// Writes a number as this column does.
    pub(super) fn write(&self, value: f64) -> String {
        let text = match self.decimals {
            Decimals::Fixed(decimals) => format!("{value:.*e}", usize::from(decimals)),
            _ => self.digits().write(value),
        };
        let Some((mantissa, power)) = text.split_once('e') else {
            return text; // a plain 0
        };
        let (minus, power) = match power.strip_prefix('-') {
            Some(power) => (true, power),
            None => (false, power),
        };
        let sign = match (minus, self.look.plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        };
        let width = if self.look.padded { 2 } else { 1 };
        format!("{mantissa}{}{sign}{power:0>width$}", self.look.mark)
    }

    /// Whether a text without an exponent says less of a number than one with it.
    pub(super) fn says_more_than(&self, plain: &str, value: f64) -> bool {
        let half = self.digits().last(value) / 2.0;
        plain
            .parse()
            .is_ok_and(|shown: f64| (shown - value).abs() > half)
    }
}
