//! JSON as programs really write it: Python's `json` puts bare `NaN`, `Infinity` and `-Infinity` into lines, and some write
//! numbers that no `f64` holds.

use fairtrial_model::Number;
use serde::de::IgnoredAny;
use serde_json::Value;

/// Parses one JSON value, reading what is not finite as words that [`number`] understands.
pub(super) fn parse(text: &str) -> Option<Value> {
    let strict = serde_json::from_str(text).ok();
    strict.or_else(|| serde_json::from_str(&in_words(text)?).ok())
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

/// The text with words in quotes for what is not finite and stands outside of strings; absent where there is no such
/// thing.
fn in_words(text: &str) -> Option<String> {
    let mut spelled = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let mut in_string = false;
    let mut found = false;
    while let Some(first) = rest.chars().next() {
        if !in_string && let Some((length, word)) = not_finite(rest) {
            spelled.push('"');
            spelled.push_str(word);
            spelled.push('"');
            rest = &rest[length..];
            found = true;
            continue;
        }
        let mut length = first.len_utf8();
        if !in_string && is_of_number(first) {
            length = number_length(rest);
        } else if first == '\\' && in_string {
            length += rest[1..].chars().next().map_or(0, char::len_utf8);
        } else if first == '"' {
            in_string = !in_string;
        }
        spelled.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    found.then_some(spelled)
}

/// What is not finite at the beginning of a text: its length, and the word for it. A number that is too large for one
/// (`1e400`) is infinite, as it is for Python.
fn not_finite(text: &str) -> Option<(usize, &'static str)> {
    let mut words = ["NaN", "-Infinity", "Infinity"].into_iter();
    if let Some(word) = words.find(|word| text.starts_with(word)) {
        return Some((word.len(), word));
    }
    if !text.starts_with(is_of_number) {
        return None;
    }
    let digits = &text[..number_length(text)];
    let value: f64 = digits
        .parse()
        .ok()
        .filter(|value: &f64| value.is_infinite())?;
    // What JSON would not take for a number is none: reading without a value asks for the form alone.
    serde_json::from_str::<IgnoredAny>(digits).ok()?;
    let word = if value > 0.0 { "Infinity" } else { "-Infinity" };
    Some((digits.len(), word))
}

fn is_of_number(letter: char) -> bool {
    letter.is_ascii_digit() || matches!(letter, '+' | '-' | '.' | 'e' | 'E')
}

fn number_length(text: &str) -> usize {
    text.find(|letter| !is_of_number(letter))
        .unwrap_or(text.len())
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
        for text in ["01e400", "1e400.5", "+1e400", "1.e400", "{\"a\": 1e400"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_number_too_large_for_one_is_infinite_and_the_others_stay() {
        let long = "9".repeat(400);
        let text = format!(
            r#"{{"a": 1e400, "b": [-1.5E+999, {long}], "c": "1e400", "d": 0.1e309, "e": 1e-400, "f": -3, "g": NaN}}"#
        );
        let value = parse(&text).unwrap();
        assert_eq!(number(&value["a"]), Some(f64::INFINITY));
        assert_eq!(number(&value["b"][0]), Some(f64::NEG_INFINITY));
        assert_eq!(number(&value["b"][1]), Some(f64::INFINITY));
        assert_eq!(value["c"], "1e400");
        assert_eq!(number(&value["d"]), Some(1e308));
        assert_eq!(number(&value["e"]), Some(0.0));
        assert_eq!(number(&value["f"]), Some(-3.0));
        assert!(number(&value["g"]).unwrap().is_nan());
    }
}
