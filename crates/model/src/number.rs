//! A metric value that survives JSON: NaN and the infinities are written as strings, because JSON has no word for them.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// An `f64` whose JSON form keeps NaN and infinities (`"NaN"`, `"inf"`, `"-inf"`).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Number(pub f64);

impl Number {
    /// Reads the words that JSON files, Python and our own records use for values that are not finite.
    pub fn from_word(word: &str) -> Option<Self> {
        let value = match word.trim().to_ascii_lowercase().as_str() {
            "nan" | "-nan" | "+nan" => f64::NAN,
            "inf" | "+inf" | "infinity" | "+infinity" => f64::INFINITY,
            "-inf" | "-infinity" => f64::NEG_INFINITY,
            _ => return None,
        };
        Some(Self(value))
    }

    /// Reads a number or one of the words for values that are not finite.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        text.parse()
            .ok()
            .map(Self)
            .or_else(|| Self::from_word(text))
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_nan() {
            f.write_str("NaN")
        } else {
            write!(f, "{}", self.0)
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.collect_str(self)
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl Visitor<'_> for NumberVisitor {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, \"NaN\", \"inf\" or \"-inf\"")
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Number, E> {
                Number::from_word(value)
                    .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(value), &self))
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn values_that_are_not_finite_survive_json() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.1, -0.0, 1e308] {
            let text = serde_json::to_string(&Number(value)).unwrap();
            let back: Number = serde_json::from_str(&text).unwrap();
            assert!(
                back.0 == value || (back.0.is_nan() && value.is_nan()),
                "{text}"
            );
            assert_eq!(
                back.0.is_sign_negative(),
                value.is_sign_negative() && !value.is_nan()
            );
        }
    }

    #[test]
    fn words_are_read_and_other_text_is_refused() {
        assert_eq!(Number::parse("-Infinity"), Some(Number(f64::NEG_INFINITY)));
        assert_eq!(Number::parse(" 1e3 "), Some(Number(1000.0)));
        assert!(Number::parse("fast").is_none());
        assert!(serde_json::from_str::<Number>("\"fast\"").is_err());
    }
}
