//! A line of JSON as far as curves look at it: its keys and numbers, read without making a tree of it, which takes most of
//! the time of reading a long file. What is a line of JSON is what `serde_json` says.

use fairtrial_model::Number;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// What stands under a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum JsonCell<'a> {
    /// A whole number that is not negative.
    Whole(u64),
    /// Any other number.
    Number(f64),
    Words(Cow<'a, str>),
    Null,
    /// What is no number and no words.
    Other,
}

impl JsonCell<'_> {
    /// A number, or one of the words that stand for what JSON cannot write.
    pub(crate) fn value(&self) -> Option<f64> {
        match self {
            Self::Words(word) => Number::from_word(word).map(|number| number.0),
            Self::Whole(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            Self::Null | Self::Other => None,
        }
    }
}

/// Where the value of a line stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RowPlace {
    /// There is no step.
    Final,
    At(f64),
    /// There is a step, and it is no number.
    Nowhere,
}

impl RowPlace {
    /// By what stands under the name of the step. A number in words, as some programs write it, is a number.
    pub(crate) fn of(step: Option<&JsonCell<'_>>) -> Self {
        let number = match step {
            None | Some(JsonCell::Null) => return Self::Final,
            Some(JsonCell::Words(words)) => words.trim().parse().ok(),
            Some(step) => step.value(),
        };
        let finite = number.filter(|number: &f64| number.is_finite());
        finite.map_or(Self::Nowhere, Self::At)
    }
}

/// The keys of a line with what stands under them, in their order; a key that stands there twice is here twice, and the
/// last one counts.
pub(crate) type JsonRow<'a> = Vec<(Cow<'a, str>, JsonCell<'a>)>;

/// Reads a line; absent where it is no JSON object.
pub(crate) fn row(line: &str, size: usize) -> Option<JsonRow<'_>> {
    let mut json = serde_json::Deserializer::from_str(line);
    let read = JsonCells(Vec::with_capacity(size))
        .deserialize(&mut json)
        .ok()?;
    json.end().ok()?;
    Some(read)
}

/// The cells of an object.
struct JsonCells<'a>(JsonRow<'a>);

impl<'de> DeserializeSeed<'de> for JsonCells<'de> {
    type Value = JsonRow<'de>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<JsonRow<'de>, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for JsonCells<'de> {
    type Value = JsonRow<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<JsonRow<'de>, A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            self.0.push((name, map.next_value()?));
        }
        Ok(self.0)
    }
}

/// A key, which is a part of the line where it has no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct OfName;
        impl<'de> Visitor<'de> for OfName {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        json.deserialize_str(OfName)
    }
}

impl<'de> Deserialize<'de> for JsonCell<'de> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(OfCell)
    }
}

struct OfCell;

impl<'de> Visitor<'de> for OfCell {
    type Value = JsonCell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<JsonCell<'de>, E> {
        Ok(JsonCell::Whole(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<JsonCell<'de>, E> {
        Ok(JsonCell::Number(number as f64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<JsonCell<'de>, E> {
        Ok(JsonCell::Number(number))
    }

    fn visit_borrowed_str<E: Error>(self, words: &'de str) -> Result<JsonCell<'de>, E> {
        Ok(JsonCell::Words(Cow::Borrowed(words)))
    }

    fn visit_str<E: Error>(self, words: &str) -> Result<JsonCell<'de>, E> {
        Ok(JsonCell::Words(Cow::Owned(words.to_owned())))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<JsonCell<'de>, E> {
        Ok(JsonCell::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<JsonCell<'de>, E> {
        Ok(JsonCell::Null)
    }

    // What is inside is looked at too: a line that is no JSON anywhere is none.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<JsonCell<'de>, A::Error> {
        while list.next_element::<JsonCell<'de>>()?.is_some() {}
        Ok(JsonCell::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonCell<'de>, A::Error> {
        while map.next_entry::<Name<'de>, JsonCell<'de>>()?.is_some() {}
        Ok(JsonCell::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::{JsonCell, JsonRow, row};
    use fairtrial_model::Number;
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    /// The numbers of a line as a tree of it gives them.
    fn by_tree(line: &str) -> Option<Vec<(String, Option<f64>)>> {
        let tree: Map<String, Value> = serde_json::from_str(line).ok()?;
        let number = |value: &Value| match value {
            Value::String(word) => Number::from_word(word).map(|number| number.0),
            value => value.as_f64(),
        };
        Some(
            tree.iter()
                .map(|(name, value)| (name.clone(), number(value)))
                .collect(),
        )
    }

    fn last_of_each(row: &JsonRow<'_>) -> Vec<(String, Option<f64>)> {
        let mut found: Vec<(String, Option<f64>)> = Vec::new();
        for (name, cell) in row {
            match found.iter_mut().find(|(known, _)| known == name) {
                Some((_, value)) => *value = cell.value(),
                None => found.push((name.to_string(), cell.value())),
            }
        }
        found
    }

    fn check(line: &str) {
        let found = row(line, 0).map(|row| last_of_each(&row));
        // NaN is no number that a line can hold, so that values can be compared.
        let bits = |cells: Vec<(String, Option<f64>)>| -> Vec<(String, Option<u64>)> {
            cells
                .into_iter()
                .map(|(name, it)| (name, it.map(f64::to_bits)))
                .collect()
        };
        assert_eq!(found.map(bits), by_tree(line).map(bits), "{line}");
    }

    #[test]
    fn a_line_is_read_as_a_tree_of_it_is() {
        for line in [
            r#"{"a": 1, "b": -1, "c": 1.5, "a": 2}"#,
            r#"{"a": 18446744073709551615, "b": 18446744073709551616, "c": 0.1, "d": -0}"#,
            r#"{"a": "NaN", "b": "-inf", "c": "x", "d": null, "e": true, "f": [1e5, {"g": []}]}"#,
            r#"{"\u0061": 1, "b\n": "\ud83d\ude00"}"#,
            r#"{"a": NaN}"#,
            r#"{"a": 1e400}"#,
            r#"{"a": {"b": 1e400}}"#,
            r#"{"a": "\ud800"}"#,
            r#"{"a": 1} x"#,
            r#"{"a": 1"#,
            r#"{"a": 01}"#,
            "[1]",
            "7",
            "{}",
            " {\"a\" : 1 }\t\r",
        ] {
            check(line);
        }
        check(&format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200)));
        assert_eq!(row(r#"{"seed": 7}"#, 0).unwrap()[0].1, JsonCell::Whole(7));
    }

    proptest! {
        #[test]
        fn any_number_is_the_same(value in any::<f64>(), whole in any::<i128>()) {
            check(&format!("{{\"a\": {value:?}, \"b\": {whole}}}"));
            check(&format!("{{\"a\": {value}, \"b\": {value:e}}}"));
        }

        #[test]
        fn any_text_is_the_same(text in "[\\[\\]{}\":, a-c0-9.eE+\\\\u-]{0,40}") {
            check(&text);
            check(&format!("{{\"a\":{text}}}"));
        }
    }
}
