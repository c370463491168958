//! Histories in files of JSON lines, `{"step": 10, "overview/reward": 0.4}`.

use super::curve::{History, Points};
use super::file::{content, read_text};
use crate::error::AnalysisError;
use fairtrial_model::{LinePlace, Number, Outcome, STEP_NAMES, StepSearch};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;

/// A file with one run's history; a `seed` key, where lines have one, is the run's seed.
pub(super) fn history(path: &Path, metric: &str, id: String) -> Result<History, AnalysisError> {
    let text = read_text(path)?;
    let (points, seed) = points(path, &text, metric, None)?;
    Ok(History {
        id,
        task: None,
        point: None,
        arm: None,
        seed,
        rollout: None,
        rollouts: Vec::new(),
        place: None,
        outcome: Outcome::Ok,
        steps: points.steps,
        values: points.values,
        declaration: None,
        recorded: None,
        run: None,
        notes: points.notes,
    })
}

/// The points of one key over the steps under another: the declared one, else the first well-known one that is found.
pub(super) fn points(
    path: &Path,
    text: &str,
    key: &str,
    step: Option<&str>,
) -> Result<(Points, Option<u64>), AnalysisError> {
    let mut rows = Vec::new();
    let mut seed = None;
    let (mut broken, mut astray) = (0_usize, 0_usize);
    let quoted = Value::from(key).to_string();
    let search = StepSearch {
        declared: step,
        metrics: &[key],
    };
    let mut step_name: Option<String> = None;
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Map<String, Value>>(line) {
            Ok(object) => {
                seed = seed.or_else(|| object.get("seed").and_then(Value::as_u64));
                if let Some(value) = object.get(key).and_then(value_of) {
                    // A curve is read over one kind of step, whichever others stand in some of its lines.
                    if step_name.is_none() {
                        step_name = search.in_line(&object).map(str::to_owned);
                    }
                    match LinePlace::of(&object, step_name.as_deref()) {
                        LinePlace::At(step) => rows.push((Some(step), value)),
                        LinePlace::Final => rows.push((None, value)),
                        LinePlace::Nowhere(_) => astray += 1,
                    }
                }
            }
            // Python writes bare NaN, which JSON does not know. Whether it is this metric's decides.
            Err(_) if line.contains(&quoted) => {
                rows.push(
                    rescued(line, &quoted, step_name.as_deref().or(step))
                        .ok_or_else(|| content(path, format!("line {} is not JSON", number + 1)))?,
                );
            }
            Err(_) => broken += 1,
        }
    }
    let mut points = Points::from_rows(rows);
    if broken > 0 {
        let note =
            format!("{broken} lines that are not JSON and do not hold the metric were left out");
        points.notes.push(note);
    }
    if astray > 0 {
        let note = format!("{astray} lines whose step is no number were left out");
        points.notes.push(note);
    }
    if points.values.is_empty() {
        let there = match numbers(text).as_slice() {
            [] => String::new(),
            names => format!("; there are {}", names.join(", ")),
        };
        return Err(content(path, format!("no line holds `{key}`{there}")));
    }
    Ok((points, seed))
}

/// The keys that hold numbers, for whoever asked for another one.
fn numbers(text: &str) -> Vec<String> {
    let lines = text.lines();
    let objects = lines.filter_map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
    let names = objects.flat_map(|object| {
        let step = StepSearch::default().in_line(&object).map(str::to_owned);
        object.into_iter().filter_map(move |(name, value)| {
            let beside = step.as_ref() == Some(&name) || name == "seed";
            (!beside && value_of(&value).is_some()).then_some(name)
        })
    });
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A number, or one of the words that stand for what JSON cannot write.
fn value_of(value: &Value) -> Option<f64> {
    match value {
        Value::String(word) => Number::from_word(word).map(|number| number.0),
        value => value.as_f64(),
    }
}

/// Step and value of a line with bare words like `NaN`, read by key.
fn rescued(line: &str, quoted: &str, step: Option<&str>) -> Option<(Option<f64>, f64)> {
    let after = |key: &str| {
        let rest = line.split_once(key)?.1.trim_start().strip_prefix(':')?;
        let end = rest.find([',', '}'])?;
        Number::parse(&rest[..end]).map(|number| number.0)
    };
    let names = step.as_ref().map_or(&STEP_NAMES[..], std::slice::from_ref);
    let step = names
        .iter()
        .find_map(|name| after(&Value::from(*name).to_string()));
    Some((step, after(quoted)?))
}
