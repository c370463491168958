//! Takes out of a spec what `check` refuses, and nothing else, so that most of what is made can be run.

use serde_json::{Value, json};

/// A spec as text, a key or an item on each line, and what stands on each line, as a JSON pointer.
pub(super) fn lines(spec: &Value) -> (String, Vec<String>) {
    let mut pointers = Vec::new();
    note(spec, String::new(), &mut pointers);
    let text = serde_json::to_string_pretty(spec).unwrap();
    assert_eq!(text.lines().count(), pointers.len());
    (text, pointers)
}

/// Notes the lines of a value in the order in which they are printed.
fn note(value: &Value, at: String, lines: &mut Vec<String>) {
    lines.push(at.clone());
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, below) in map {
                note(below, format!("{at}/{}", escaped(key)), lines);
            }
            lines.push(at);
        }
        Value::Array(items) if !items.is_empty() => {
            for (place, below) in items.iter().enumerate() {
                note(below, format!("{at}/{place}"), lines);
            }
            lines.push(at);
        }
        _ => {}
    }
}

/// Removes everything that an error points at; whether something changed.
pub(super) fn mend(spec: &mut Value, lines: &[String], checked: &Value) -> bool {
    let errors = checked["diagnostics"].as_array().into_iter().flatten();
    let errors = errors.filter(|found| found["severity"] == "error");
    let mut places: Vec<(&str, bool)> = errors
        .filter_map(|error| {
            let line = usize::try_from(error["line"].as_u64()?).ok()?;
            let at = lines.get(line.checked_sub(1)?)?;
            let no_work = error["message"].as_str()?.contains("has no work");
            Some((at.as_str(), no_work))
        })
        .collect();
    // From the end, so that no item moves before it is removed.
    places.sort_unstable();
    places.dedup();
    let mut changed = false;
    for (at, no_work) in places.into_iter().rev() {
        changed |= if no_work {
            give_work(spec, at)
        } else {
            remove(spec, at)
        };
    }
    changed
}

fn give_work(spec: &mut Value, at: &str) -> bool {
    let task = spec.pointer_mut(at).and_then(Value::as_object_mut);
    task.is_some_and(|task| task.insert("command".to_owned(), json!("true")).is_none())
}

fn remove(spec: &mut Value, at: &str) -> bool {
    let Some((above, key)) = at.rsplit_once('/') else {
        return false;
    };
    let key = key.replace("~1", "/").replace("~0", "~");
    match spec.pointer_mut(above) {
        Some(Value::Object(map)) => map.remove(&key).is_some(),
        Some(Value::Array(items)) => {
            let place: usize = key.parse().unwrap();
            place < items.len() && !items.remove(place).is_null()
        }
        _ => false,
    }
}
