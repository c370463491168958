//! JSON as programs really write it: Python's `json` puts bare `NaN`, `Infinity` and `-Infinity` into lines.

use fairtrial_model::Number;
use serde_json::Value;

/// Parses one JSON value, reading the bare words as strings that [`number`] understands.
pub(super) fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().or_else(|| {
        let suspicious = text.contains("NaN") || text.contains("Infinity");
        suspicious
            .then(|| serde_json::from_str(&quote_words(text)).ok())
            .flatten()
    })
}

/// The number in a value: numbers, booleans as 0 and 1, and the words for values that are not finite.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::String(word) => Number::from_word(word).map(|number| number.0),
        _ => None,
    }
}

/// Puts quotes around the bare words outside of strings.
fn quote_words(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let mut in_string = false;
    while let Some(first) = rest.chars().next() {
        let word = ["NaN", "-Infinity", "Infinity"]
            .into_iter()
            .find(|word| rest.starts_with(word));
        if let (false, Some(word)) = (in_string, word) {
            quoted.push('"');
            quoted.push_str(word);
            quoted.push('"');
            rest = &rest[word.len()..];
            continue;
        }
        let mut length = first.len_utf8();
        if first == '\\' && in_string {
            length += rest[1..].chars().next().map_or(0, char::len_utf8);
        } else if first == '"' {
            in_string = !in_string;
        }
        quoted.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::{number, parse};

    #[test]
    fn bare_words_survive_and_strings_are_left_alone() {
        let value =
            parse(r#"{"a": NaN, "b": -Infinity, "c": "say \"NaN\" Infinity", "d": [Infinity]}"#)
                .unwrap();
        assert!(number(&value["a"]).unwrap().is_nan());
        assert_eq!(number(&value["b"]), Some(f64::NEG_INFINITY));
        assert_eq!(value["c"], "say \"NaN\" Infinity");
        assert_eq!(number(&value["d"][0]), Some(f64::INFINITY));
    }

    #[test]
    fn broken_lines_are_refused() {
        assert!(parse(r#"{"a": NaN"#).is_none());
        assert!(parse("NaN \\").is_none());
    }
}
