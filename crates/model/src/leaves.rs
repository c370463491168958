//! The values inside nested tables, by their path: a record and a result file must call the same number the same.

use crate::number::Number;
use serde_json::{Map, Value};

/// A value that is no table.
#[derive(Debug)]
pub enum Leaf<'a> {
    /// A number, a truth value as 0 or 1, or a word for a number that is not finite.
    Number(f64),
    /// Anything else.
    Other(&'a Value),
}

/// Shows every value of a table in its order, those of tables inside it as `outer.inner`, and all of them below `path`
/// where that is not empty.
pub fn each_leaf<'a>(
    path: &str,
    table: &'a Map<String, Value>,
    see: &mut dyn FnMut(String, Leaf<'a>),
) {
    for (name, value) in table {
        let name = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let number = match value {
            Value::Object(inner) => {
                each_leaf(&name, inner, see);
                continue;
            }
            Value::Number(number) => number.as_f64(),
            Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
            Value::String(word) => Number::from_word(word).map(|number| number.0),
            Value::Array(_) | Value::Null => None,
        };
        see(name, number.map_or(Leaf::Other(value), Leaf::Number));
    }
}

#[cfg(test)]
mod tests {
    use super::{Leaf, each_leaf};
    use serde_json::json;

    #[test]
    fn numbers_have_the_names_of_their_paths() {
        let table =
            json!({"a": 1, "b": {"c": true, "d": {"e": "-Infinity"}}, "f": "word", "g": [1]});
        let mut seen = Vec::new();
        each_leaf("", table.as_object().unwrap(), &mut |name, leaf| {
            seen.push((name, matches!(leaf, Leaf::Number(_))));
        });
        let named = |name: &str, number| (name.to_owned(), number);
        assert_eq!(
            seen,
            [
                named("a", true),
                named("b.c", true),
                named("b.d.e", true),
                named("f", false),
                named("g", false)
            ]
        );
    }
}
