//! Numbers as C's `%.9g` writes them: the form of the learning-curve pipeline's CSV files, which other tools read.

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

fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::general;

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
}
