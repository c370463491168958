//! A parameter of a bench and its values.

use crate::error::SessionError;
use serde::Serialize;

/// Commands that a bench may have, and values that a parameter may: beyond it, it is no comparison any more.
pub(super) const MOST_COMMANDS: usize = 1000;

/// A parameter and its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BenchParameter {
    /// Its name: `{name}` in a command stands for its value.
    pub name: String,
    /// Its values, as they are written into commands.
    pub values: Vec<String>,
}

impl BenchParameter {
    /// `a,b,c`; `\,` is a comma within a value.
    pub fn list(name: &str, values: &str) -> Self {
        let marked = values.replace("\\,", "\0");
        let values = marked.split(',').map(|value| value.replace('\0', ","));
        Self {
            name: name.to_owned(),
            values: values.collect(),
        }
    }

    /// From the least to the largest number in steps, both included.
    pub fn scan(name: &str, [least, most, step]: [&str; 3]) -> Result<Self, SessionError> {
        let refuse = |why: String| Err(SessionError::Input(why));
        let decimals = |text: &str| text.split_once('.').map_or(0, |(_, after)| after.len());
        let places = [least, most, step]
            .map(decimals)
            .into_iter()
            .max()
            .unwrap_or(0);
        let scale = 10f64.powi(i32::try_from(places).unwrap_or(0));
        // In units of the last decimal, so that 0.1 three times is 0.3.
        let units = |text: &str| {
            text.trim()
                .parse::<f64>()
                .map(|value| (value * scale).round())
        };
        let (Ok(from), Ok(to), Ok(by)) = (units(least), units(most), units(step)) else {
            return refuse(format!(
                "`{name}` is scanned from `{least}` to `{most}` in steps of `{step}`: these must be numbers"
            ));
        };
        if by <= 0.0 || to < from || !((to - from) / by).is_finite() {
            return refuse(format!(
                "`{name}` cannot be scanned from {least} to {most} in steps of {step}"
            ));
        }
        let count = ((to - from) / by).floor();
        if count >= MOST_COMMANDS as f64 {
            return refuse(format!(
                "`{name}` would have more than {MOST_COMMANDS} values"
            ));
        }
        let value = |place: u32| format!("{:.places$}", (from + by * f64::from(place)) / scale);
        Ok(Self {
            name: name.to_owned(),
            values: (0..=count as u32).map(value).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::BenchParameter;

    fn scan(range: [&str; 3]) -> Vec<String> {
        BenchParameter::scan("n", range).unwrap().values
    }

    #[test]
    fn a_scan_has_both_ends_and_the_decimals_that_were_typed() {
        assert_eq!(scan(["1", "4", "1"]), ["1", "2", "3", "4"]);
        assert_eq!(scan(["0.1", "0.4", "0.1"]), ["0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(scan(["0", "1", "0.5"]), ["0.0", "0.5", "1.0"]);
        assert_eq!(scan(["3", "3", "1"]), ["3"]);
        for range in [
            ["1", "4", "0"],
            ["4", "1", "1"],
            ["a", "1", "1"],
            ["0", "1e9", "1"],
        ] {
            assert!(BenchParameter::scan("n", range).is_err(), "{range:?}");
        }
    }

    #[test]
    fn a_list_may_hold_commas() {
        let found = BenchParameter::list("x", "a,b\\,c,");
        assert_eq!(found.values, ["a", "b,c", ""]);
    }
}
