//! Numbers with so many significant digits: in sentences, and as C's `%.9g` writes them for files that other tools read.

use crate::number::NumberFormat;

/// `x` with so many significant digits, as `%.{digits}g` does: trailing zeros go, and very large or small numbers get a
/// power of ten of at least two digits.
pub fn general(x: f64, digits: usize) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let digits = digits.max(1);
    // Rounding can add a digit, so the exponent is that of the rounded number.
    let rounded = format!("{x:.*e}", digits - 1);
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..digits as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        return trimmed(&format!("{x:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

/// Sizes that are written without a power of ten in a sentence.
const READABLE: std::ops::Range<f64> = 1e-4..1e9;

/// `x` in a sentence: so many significant digits without zeros at the end, and a power of ten only where it must be.
/// Whole numbers keep their digits.
pub fn significant(x: f64, digits: usize) -> String {
    let most = digits.max(1) - 1;
    if x == 0.0 || !x.is_finite() {
        return NumberFormat::Fixed(0).number(x);
    }
    if !READABLE.contains(&x.abs()) {
        let text = format!("{x:.most$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let decimals = (most as i32 - x.abs().log10().floor() as i32).clamp(0, 12) as usize;
    trimmed(&format!("{x:.decimals$}")).to_owned()
}

/// `x` in a sentence, with the four digits that a reader can use.
pub fn short(x: f64) -> String {
    significant(x, 4)
}

/// The number without zeros at its end.
pub(crate) fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{general, significant};
    use proptest::prelude::*;

    #[test]
    fn matches_what_c_and_python_print() {
        // From Python: '%.9g' % x
        let cases = [
            (10.577_173_722_385_531, "10.5771737"),
            (9.789_336_999_252_326, "9.789337"),
            (4.206_505_064_501_988e-9, "4.20650506e-09"),
            (10_009_804_397.066_227, "1.00098044e+10"),
            (999_999_999.9, "1e+09"),
            (123_456_789.4, "123456789"),
            (0.0001, "0.0001"),
            (0.000_099_999_999_99, "0.0001"),
            (0.000_099_999_999, "9.9999999e-05"),
            (0.0, "0"),
            (-0.0, "-0"),
            (-2.5, "-2.5"),
            (1e300, "1e+300"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ];
        for (x, text) in cases {
            assert_eq!(general(x, 9), text);
        }
    }

    #[test]
    fn in_a_sentence_a_power_of_ten_is_rare() {
        let shown = [0.192, 1.5e-7, 1_234_567.0, 1.0 / 3.0, 0.0, -12.5].map(|x| significant(x, 6));
        assert_eq!(
            shown,
            ["0.192", "1.5e-7", "1234567", "0.333333", "0", "-12.5"]
        );
        assert_eq!(significant(f64::NAN, 4), "NaN");
        assert_eq!(significant(1234.5678, 4), "1235");
    }

    proptest! {
        #[test]
        fn what_is_written_is_as_close_as_its_digits(x in any::<f64>().prop_filter("finite", |x| x.is_normal()), digits in 1usize..9) {
            for text in [general(x, digits), significant(x, digits)] {
                let read: f64 = text.parse().unwrap();
                prop_assert!((read / x - 1.0).abs() <= 10f64.powi(1 - digits as i32), "{x} {text}");
            }
        }
    }
}
