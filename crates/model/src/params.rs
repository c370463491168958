//! Parameter values: what arms, sweeps and `params` hold, in the order the user wrote them.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A parameter's value, any JSON value.
pub type ParamValue = serde_json::Value;

/// Named parameters in a fixed order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Params(serde_json::Map<String, ParamValue>);

impl Params {
    /// No parameters.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&ParamValue> {
        self.0.get(key)
    }

    /// Adds or replaces a value.
    pub fn set(&mut self, key: impl Into<String>, value: ParamValue) {
        self.0.insert(key.into(), value);
    }

    /// Adds all of `other`, whose values win.
    pub fn merge(&mut self, other: &Self) {
        for (key, value) in &other.0 {
            self.0.insert(key.clone(), value.clone());
        }
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ParamValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// A value as it stands in a command line or a file name: strings without quotes, the rest as JSON.
    pub fn display(value: &ParamValue) -> String {
        Self::text(value).into_owned()
    }

    /// The same, borrowed where it is a string.
    pub fn text(value: &ParamValue) -> Cow<'_, str> {
        match value {
            ParamValue::String(text) => Cow::Borrowed(text),
            other => Cow::Owned(other.to_string()),
        }
    }
}

impl FromIterator<(String, ParamValue)> for Params {
    fn from_iter<I: IntoIterator<Item = (String, ParamValue)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (key, value)) in self.iter().enumerate() {
            if place > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{key}={}", Self::display(value))?;
        }
        Ok(())
    }
}
