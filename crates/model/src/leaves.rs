//! The values inside nested tables, by their path: a record and a result file must call the same number the same.

use crate::case::cases_under;
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

/// Shows every value of a table in its order, those of tables inside it as `outer.inner`, those of cases (a list under
/// `cases`) as `name{label=value}`, and all of them below `path` where that is not empty.
pub fn each_leaf<'a>(
    path: &str,
    table: &'a Map<String, Value>,
    see: &mut dyn FnMut(String, Leaf<'a>),
) {
    let below = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    for (name, value) in table {
        match cases_under(name, value) {
            Some(cases) => {
                for case in &cases {
                    for (name, value) in case.metrics() {
                        let mut named = |name: String, leaf: Leaf<'a>| see(case.name(&name), leaf);
                        leaf(below(name), value, &mut named);
                    }
                }
            }
            None => leaf(below(name), value, see),
        }
    }
}

fn leaf<'a>(name: String, value: &'a Value, see: &mut dyn FnMut(String, Leaf<'a>)) {
    let number = match value {
        Value::Object(inner) => return each_leaf(&name, inner, see),
        Value::Number(number) => number.as_f64(),
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::String(word) => Number::from_word(word).map(|number| number.0),
        Value::Array(_) | Value::Null => None,
    };
    see(name, number.map_or(Leaf::Other(value), Leaf::Number));
}

#[cfg(test)]
mod tests {
    use super::{Leaf, each_leaf};
    use serde_json::json;

    #[test]
    fn cases_are_labels_of_a_metric_and_no_part_of_its_name() {
        let table = json!({"cases": [
            {"case": {"storage": "disk", "size": 100}, "rows_per_s": 5, "deep": {"x": 1}},
            {"case": {"storage": "memory", "size": 100}, "rows_per_s": 9},
        ], "inner": {"cases": [{"case": {"a": 1}, "v": 2}]}});
        let mut seen = Vec::new();
        each_leaf("", table.as_object().unwrap(), &mut |name, _| {
            seen.push(name);
        });
        let names = [
            "rows_per_s{storage=disk size=100}",
            "deep.x{storage=disk size=100}",
            "rows_per_s{storage=memory size=100}",
            "inner.v{a=1}",
        ];
        assert_eq!(seen, names);
        // A list of something else is a list.
        let mut seen = Vec::new();
        let other = json!({"cases": [1, 2]});
        each_leaf("", other.as_object().unwrap(), &mut |name, _| {
            seen.push(name);
        });
        assert_eq!(seen, ["cases"]);
    }

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
