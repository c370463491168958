//! The margin as a user writes it on a command line.

use fairtrial_model::Margin;

/// Reads `2%` (of the control's mean) or a number in the metric's unit.
pub fn parse_margin(text: &str) -> Result<Margin, String> {
    let bad = || {
        format!("`{text}` is not a margin: write a share like `2%`, or a number of zero or more")
    };
    let size = |number: &str| {
        let parsed = number.trim().parse::<f64>().ok();
        parsed
            .filter(|size| size.is_finite() && *size >= 0.0)
            .ok_or_else(bad)
    };
    match text.trim().strip_suffix('%') {
        Some(share) => Ok(Margin::Relative(size(share)? / 100.0)),
        None => Ok(Margin::Absolute(size(text)?)),
    }
}

#[cfg(test)]
mod tests {
    use crate::compare::margin_text::parse_margin;
    use fairtrial_model::Margin;

    #[test]
    fn shares_and_numbers_are_told_apart() {
        assert_eq!(parse_margin("2%"), Ok(Margin::Relative(0.02)));
        assert_eq!(parse_margin(" 0.5 "), Ok(Margin::Absolute(0.5)));
        assert!(parse_margin("-1").is_err());
        assert!(parse_margin("much").is_err());
    }
}
