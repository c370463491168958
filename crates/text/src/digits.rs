//! How many digits a column shows of its numbers, and what that hides.

use crate::significant::trimmed;
use serde::Serialize;

/// Digits of the numbers of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Digits {
    /// Decimals; before the exponent at most so many, where there is one.
    pub decimals: u8,
    /// Whether an exponent is written: decimals alone would show small numbers as 0.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub scientific: bool,
}

impl Digits {
    /// So many decimals: `98.27`.
    pub const fn decimals(decimals: u8) -> Self {
        Self {
            decimals,
            scientific: false,
        }
    }

    /// At most so many decimals and an exponent: `1.25e-3`.
    pub const fn scientific(decimals: u8) -> Self {
        Self {
            decimals,
            scientific: true,
        }
    }

    /// The number with these digits.
    pub fn write(self, value: f64) -> String {
        let decimals = usize::from(self.decimals);
        if !self.scientific {
            return format!("{value:.decimals$}");
        }
        if value == 0.0 {
            return "0".to_owned();
        }
        let text = format!("{value:.decimals$e}");
        match text.split_once('e') {
            Some((mantissa, exponent)) => format!("{}e{exponent}", trimmed(mantissa)),
            None => text,
        }
    }

    /// What the last digit of a number stands for: rounding moves the number by half of it at most.
    pub fn last(self, value: f64) -> f64 {
        let decimals = i32::from(self.decimals);
        if self.scientific && value != 0.0 {
            10f64.powi(value.abs().log10().floor() as i32 - decimals)
        } else {
            10f64.powi(-decimals)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Digits;

    #[test]
    fn small_numbers_keep_their_digits() {
        let written = |value| Digits::scientific(2).write(value);
        assert_eq!(written(0.0005), "5e-4");
        assert_eq!(written(-0.000_123_456), "-1.23e-4");
        assert_eq!(written(1e6), "1e6");
        assert_eq!(written(0.0), "0");
        assert_eq!(Digits::scientific(0).write(0.000_26), "3e-4");
        assert_eq!(Digits::decimals(2).write(0.0005), "0.00");
    }

    #[test]
    fn the_last_digit_of_a_small_number_is_smaller() {
        let about = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 1e-9;
        assert!(about(Digits::decimals(2).last(5e-7), 0.01));
        assert!(about(Digits::scientific(2).last(-5e-7), 1e-9));
        assert!(about(Digits::scientific(2).last(12.0), 0.1));
    }
}
