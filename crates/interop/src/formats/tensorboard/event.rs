//! One event: a step, and the scalars that were written at it. Histograms, pictures and texts are passed over.

use crate::execution::{Execution, Metric, MetricId};
use crate::protobuf::{Broken, Message, Wire};
use crate::sink::Sink;
use std::collections::HashMap;

/// Plugins whose tensors are scalars; older files name none.
const SCALARS: [&[u8]; 2] = [b"scalars", b""];

/// What earlier events of a file said.
#[derive(Default)]
pub(super) struct Events {
    known: HashMap<Vec<u8>, MetricId>,
    /// The plugin of each tag; only the first event of a tag has to name it.
    plugins: HashMap<Vec<u8>, Vec<u8>>,
}

impl Events {
    /// Takes in one event.
    pub(super) fn take(
        &mut self,
        record: &[u8],
        execution: &mut Execution,
        sink: &mut dyn Sink,
    ) -> Result<(), Broken> {
        let mut step = 0;
        let mut summary = Message(&[]);
        for field in Message(record) {
            let (number, value) = field?;
            match number {
                2 => step = value.integer(),
                5 => summary = value.message(),
                _ => {}
            }
        }
        for field in summary {
            let (number, value) = field?;
            if number == 1 {
                self.value(value.message(), step, execution, sink)?;
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        value: Message<'_>,
        step: i64,
        execution: &mut Execution,
        sink: &mut dyn Sink,
    ) -> Result<(), Broken> {
        let mut tag: &[u8] = &[];
        let mut number = None;
        let mut tensor = None;
        for field in value {
            let (place, part) = field?;
            match place {
                1 => tag = part.bytes(),
                2 => number = part.float(),
                8 => tensor = Some(part.message()),
                9 => {
                    let plugin = plugin(part.message())?;
                    if plugin.name == b"hparams" {
                        hparams(plugin.content, execution)?;
                    }
                    self.plugins.insert(tag.to_vec(), plugin.name.to_vec());
                }
                _ => {}
            }
        }
        let plugin = self.plugins.get(tag).map_or(&[][..], Vec::as_slice);
        if let Some(tensor) = tensor.filter(|_| SCALARS.contains(&plugin)) {
            number = scalar(tensor)?;
        }
        if let Some(number) = number {
            let metric = self.known.get(tag).copied().unwrap_or_else(|| {
                let name = String::from_utf8_lossy(tag);
                let metric = sink.metric(&Metric::named(name));
                self.known.insert(tag.to_vec(), metric);
                metric
            });
            sink.point(metric, step as f64, number);
        }
        Ok(())
    }
}

struct Plugin<'a> {
    name: &'a [u8],
    content: Message<'a>,
}

/// The plugin that a value's description names.
fn plugin(metadata: Message<'_>) -> Result<Plugin<'_>, Broken> {
    let mut found = Plugin {
        name: &[],
        content: Message(&[]),
    };
    for field in metadata {
        let (number, data) = field?;
        if number != 1 {
            continue;
        }
        for field in data.message() {
            match field? {
                (1, name) => found.name = name.bytes(),
                (2, content) => found.content = content.message(),
                _ => {}
            }
        }
    }
    Ok(found)
}

/// The number in a tensor without dimensions.
fn scalar(tensor: Message<'_>) -> Result<Option<f64>, Broken> {
    let mut kind = 0;
    let mut raw: &[u8] = &[];
    let mut number = None;
    for field in tensor {
        let (place, value) = field?;
        match (place, value) {
            (1, _) => kind = value.integer(),
            // A dimension: it is a list of numbers.
            (2, _) if value.message().flatten().any(|(number, _)| number == 2) => return Ok(None),
            (4, _) => raw = value.bytes(),
            // Numbers of one kind, one by one or packed.
            (5 | 6, Wire::Bytes(packed)) => number = number.or(float_in(packed, place == 6)),
            (5 | 6, _) => number = number.or(value.float()),
            (7 | 10, Wire::Bytes(packed)) => {
                let first = Message(packed).first_varint();
                number = number.or(first.map(|value| value as i64 as f64));
            }
            (7 | 10, _) => number = number.or(Some(value.integer() as f64)),
            _ => {}
        }
    }
    if raw.is_empty() {
        return Ok(number);
    }
    Ok(match kind {
        1 => float_in(raw, false),
        2 => float_in(raw, true),
        3 => raw.try_into().ok().map(i32::from_le_bytes).map(f64::from),
        9 => raw
            .try_into()
            .ok()
            .map(|bytes| i64::from_le_bytes(bytes) as f64),
        _ => None,
    })
}

fn float_in(bytes: &[u8], double: bool) -> Option<f64> {
    if double {
        bytes.first_chunk().map(|bytes| f64::from_le_bytes(*bytes))
    } else {
        let single = bytes.first_chunk().map(|bytes| f32::from_le_bytes(*bytes));
        single.map(f64::from)
    }
}

/// The hyperparameters of a run, as PyTorch's and Keras' writers leave them.
fn hparams(content: Message<'_>, execution: &mut Execution) -> Result<(), Broken> {
    for field in content {
        let (3, session) = field? else {
            continue;
        };
        for field in session.message() {
            let (1, entry) = field? else {
                continue;
            };
            let mut name = String::new();
            let mut text = None;
            for field in entry.message() {
                match field? {
                    (1, key) => name = key.text(),
                    (2, value) => text = hparam(value.message())?,
                    _ => {}
                }
            }
            execution.set_some(&format!("hparam.{name}"), text);
        }
    }
    Ok(())
}

fn hparam(value: Message<'_>) -> Result<Option<String>, Broken> {
    for field in value {
        match field? {
            (2, number) => return Ok(number.float().map(|number| number.to_string())),
            (3, text) => return Ok(Some(text.text())),
            (4, truth) => return Ok(Some((truth.integer() != 0).to_string())),
            _ => {}
        }
    }
    Ok(None)
}
