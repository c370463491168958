use super::{Json, JsonKind, parse};
use fairtrial_model::Number;
use serde_json::{Value, json};
use std::io::Read;

/// Gives one byte at a time: every piece of text crosses the border of a buffer.
struct Slowly<'a>(&'a [u8]);

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Some((first, rest)) = self.0.split_first() else {
            return Ok(0);
        };
        buffer[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

#[test]
fn values_are_read_one_by_one_and_the_rest_is_passed_over() {
    let text = br#"{"skip": {"a": ["\"}", 1e3]}, "rows": [{"x": 1}, {"x": NaN}, {"x": -Infinity}, {"x": 1e999}],
        "more": []}"#;
    let mut json = Json::new("f", Slowly(text));
    let mut seen = Vec::new();
    json.object(|key, json| match key {
        "rows" => json.array(|json| {
            seen.push(json.value::<Value>("rows")?);
            Ok(())
        }),
        _ => json.skip(),
    })
    .unwrap();
    assert_eq!(
        seen,
        [
            json!({"x": 1}),
            json!({"x": "NaN"}),
            json!({"x": "-Infinity"}),
            json!({"x": "Infinity"})
        ]
    );
    assert!(!json.more().unwrap());
}

#[test]
fn values_are_the_same_wherever_the_buffer_ends() {
    let value = json!({"a": ["x\"y", 1.5, null, true], "b": {"c": "\u{fc}"}});
    let text = format!("[\n{value},{value}]");
    for before in super::BUFFER - 2 * text.len()..super::BUFFER {
        let text = format!("{}{text}", " ".repeat(before));
        let (mut json, mut seen) = (Json::new("f", text.as_bytes()), 0);
        json.array(|json| {
            seen += 1;
            assert_eq!(json.value::<Value>("a")?, value, "{before}");
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, 2);
    }
}

#[test]
fn errors_name_the_line_and_the_field() {
    let text = b"{\n\"a\": [1,\n \"x\"]}";
    let mut json = Json::new("f.json", &text[..]);
    let error = json.object(|_, json| json.value::<Vec<f64>>("a").map(|_| ()));
    assert_eq!(
        error.unwrap_err().to_string(),
        "f.json, line 3, `a`: invalid type: string \"x\", expected f64"
    );
    let mut json = Json::new("f.json", &b"{\"a\": [1,\n"[..]);
    let error = json.object(|_, json| json.skip()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "f.json, line 2: the file is cut off here"
    );
    let mut json = Json::new("f.json", &b"[1 2]"[..]);
    let error = json.array(Json::skip).unwrap_err();
    assert_eq!(
        error.to_string(),
        "f.json, line 1: expected `,` or `]`, found `2`"
    );
}

#[test]
fn texts_survive_what_python_writes() {
    let mut json = Json::new("f", &b"\xEF\xBB\xBF\"a\\ud800\" \"\\u00e9\\n\" "[..]);
    assert_eq!(json.kind().unwrap(), JsonKind::Text);
    assert_eq!(json.text("a text").unwrap(), "a\\ud800");
    assert_eq!(json.text("a text").unwrap(), "é\n");
    assert!(parse::<Number>("f", b"NaN").unwrap().0.is_nan());
    assert!(parse::<Number>("f", b"1 2").is_err());
    assert!(parse::<Number>("f", b"").is_err());
}
