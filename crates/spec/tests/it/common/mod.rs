//! Specs in the three formats, and the folder of shared fixtures.

use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A value as JSON text.
pub(crate) fn as_json(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// A value as YAML text in block style, the way people write it.
pub(crate) fn as_yaml(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    text
}

fn block(value: &Value, indent: usize, out: &mut String) {
    let pad = "  ".repeat(indent);
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let key = scalar(&Value::String(key.clone()));
                inner(&format!("{pad}{key}:"), value, indent, out);
            }
        }
        Value::Array(items) => {
            for item in items {
                inner(&format!("{pad}-"), item, indent, out);
            }
        }
        other => writeln!(out, "{pad}{}", scalar(other)).unwrap(),
    }
}

fn inner(head: &str, value: &Value, indent: usize, out: &mut String) {
    let nested = value.as_object().is_some_and(|map| !map.is_empty())
        || value
            .as_array()
            .is_some_and(|items| items.iter().any(Value::is_object));
    if nested {
        writeln!(out, "{head}").unwrap();
        block(value, indent + 1, out);
    } else {
        writeln!(out, "{head} {}", scalar(value)).unwrap();
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let plain =
                !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
            let word = matches!(text.as_str(), "true" | "false" | "null");
            if plain && !word {
                text.clone()
            } else {
                serde_json::to_string(text).unwrap()
            }
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(scalar).collect::<Vec<_>>().join(", ")
        ),
        other => other.to_string(),
    }
}

/// The folder of fixtures that are read in place; absent where they are not at hand.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("FAIRTRIAL_SHARED").map_or(default, PathBuf::from);
    let found = root.join(path);
    if found.exists() {
        return Some(found);
    }
    eprintln!("skipped: {path} is not at hand (FAIRTRIAL_SHARED names its folder)");
    None
}
