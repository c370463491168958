//! A number as a cell of a table shows it.

use super::exponent::Exponent;

/// A number in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellNumber {
    /// Its value: seconds where the cell holds a duration, else the number as it stands.
    pub value: f64,
    /// How it is written.
    pub style: NumberStyle,
    /// Decimals; those before the exponent where it has one.
    pub decimals: u8,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberStyle {
    /// Digits, perhaps with a percent sign and with thousands apart.
    Plain {
        /// Whether a percent sign follows.
        percent: bool,
        /// What stands between thousands.
        thousands: Option<char>,
    },
    /// With an exponent: `1e-3`.
    Scientific {
        /// Whether a percent sign follows.
        percent: bool,
        /// What the exponent looks like.
        exponent: Exponent,
    },
    /// Seconds: `33s`.
    Seconds,
    /// Minutes and hours: `25m`, `2h56m`.
    Clock {
        /// Whether seconds follow: `1h6m20s`.
        seconds: bool,
    },
}

impl NumberStyle {
    /// Whether it is a duration, whose value is in seconds.
    pub const fn is_duration(self) -> bool {
        matches!(self, Self::Seconds | Self::Clock { .. })
    }
}
