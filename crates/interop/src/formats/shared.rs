//! What several formats read in the same way.

use crate::error::InteropError;
use crate::execution::{Execution, Fact, FactKind};
use crate::input::Input;
use crate::scale::Scale;
use crate::sink::Sink;
use fairtrial_model::{Number, Params};
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Read};

/// What is said of files that hold statistics instead of samples.
pub(super) const ONLY_MEAN: &str =
    "the file has one number and not the single values: nothing is known about their spread";

/// Gives a fact away where the file has one.
pub(super) fn fact(sink: &mut dyn Sink, kind: FactKind, name: &str, value: &Value) {
    let value = Params::display(value);
    if value != "null" && !value.is_empty() {
        sink.fact(Fact {
            kind,
            name: name.to_owned(),
            value,
        });
    }
}

/// Times of several iterations each, as the time of one; refused in words where the lists do not fit each other.
pub(super) fn per_iteration(
    scale: &Scale,
    times: &[Number],
    iterations: &[Number],
) -> Result<Vec<f64>, String> {
    if times.len() != iterations.len() {
        return Err(format!(
            "there are {} times for {} numbers of iterations",
            times.len(),
            iterations.len()
        ));
    }
    let each = times.iter().zip(iterations);
    Ok(each
        .map(|(time, iterations)| scale.apply(time.0 / iterations.0))
        .collect())
}

/// Values of nested tables become fields `config.trainer.lr`.
pub(crate) fn nested(execution: &mut Execution, prefix: &str, table: &Map<String, Value>) {
    for (name, value) in table {
        let name = format!("{prefix}.{name}");
        match value {
            Value::Object(inner) => nested(execution, &name, inner),
            value => execution.fields.set(name, value.clone()),
        }
    }
}

/// A table whose first line tells whether tabs or commas stand between cells.
pub(super) fn with_delimiter(input: Input<'_>) -> Result<(impl Read, u8), InteropError> {
    let path = input.path().to_owned();
    let mut reader = BufReader::new(input.reader()?);
    let start = reader.fill_buf().map_err(InteropError::io(&path))?;
    let line = start
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let delimiter = if line.contains(&b'\t') { b'\t' } else { b',' };
    Ok((reader, delimiter))
}
