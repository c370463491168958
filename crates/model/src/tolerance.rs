//! What two sides must share for a comparison to be fair, and how alike is alike.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How alike two values must be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tolerance {
    /// The same.
    Exact,
    /// Within this share of the control's value (0.01 is 1 %).
    Share(f64),
    /// Within this much.
    Absolute(f64),
}

impl FromStr for Tolerance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let bad = || {
            format!("`{text}` is not a tolerance: write `exact`, a share like `1%`, or a number")
        };
        let size = |number: &str| {
            let parsed = number.trim().parse::<f64>().ok();
            parsed
                .filter(|size| size.is_finite() && *size >= 0.0)
                .ok_or_else(bad)
        };
        match text.strip_suffix('%') {
            _ if text == "exact" => Ok(Self::Exact),
            Some(share) => Ok(Self::Share(size(share)? / 100.0)),
            None => Ok(Self::Absolute(size(text)?)),
        }
    }
}

/// One thing that the sides must share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EqualRule {
    /// A metric or a parameter.
    pub key: String,
    /// How alike.
    pub tolerance: Tolerance,
}

impl FromStr for EqualRule {
    type Err = String;

    /// Reads `model_params=1%`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (key, tolerance) = text
            .split_once('=')
            .ok_or_else(|| format!("`{text}` is not `key=tolerance`"))?;
        Ok(Self {
            key: key.trim().to_owned(),
            tolerance: tolerance.parse()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{EqualRule, Tolerance};

    #[test]
    fn rules_are_read_from_text() {
        let rule: EqualRule = "model_params=1%".parse().unwrap();
        assert_eq!(
            (rule.key.as_str(), rule.tolerance),
            ("model_params", Tolerance::Share(0.01))
        );
        assert_eq!("exact".parse::<Tolerance>(), Ok(Tolerance::Exact));
        assert_eq!("0.5".parse::<Tolerance>(), Ok(Tolerance::Absolute(0.5)));
        assert!("-1%".parse::<Tolerance>().is_err());
        assert!(
            "model_params"
                .parse::<EqualRule>()
                .unwrap_err()
                .contains("key=tolerance")
        );
    }
}
