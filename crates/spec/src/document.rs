//! The one document tree that TOML, YAML and JSON are read into: values with the place each came from.
//!
//! Everything after the three readers works on this tree, so that there is one set of diagnostics for three formats.

use crate::source::Span;
use fairtrial_model::{Number, ParamValue};
use fairtrial_text::excerpt::excerpt;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Map),
}

/// Keys and values in the order they were written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Map {
    pub(crate) entries: Vec<Entry>,
}

/// One key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) value: Node,
}

/// Deeper nesting than this is refused: no spec needs it, and readers below may recurse.
pub(crate) const MAX_DEPTH: usize = 100;

impl Node {
    pub(crate) fn new(span: Span, kind: Kind) -> Self {
        Self { span, kind }
    }

    /// An empty map, for a file without content.
    pub(crate) fn empty(span: Span) -> Self {
        Self::new(span, Kind::Map(Map::default()))
    }

    pub(crate) fn map(&self) -> Option<&Map> {
        match &self.kind {
            Kind::Map(map) => Some(map),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn bool(&self) -> Option<bool> {
        match self.kind {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn whole(&self) -> Option<u64> {
        match self.kind {
            Kind::Int(value) => u64::try_from(value).ok(),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        match self.kind {
            Kind::Int(value) => Some(value as f64),
            Kind::Float(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Null)
    }

    /// The value under a key, where this is a map that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.map()?.get(key)
    }

    /// What it is, for messages.
    pub(crate) fn found(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing (null)".to_owned(),
            Kind::Bool(value) => format!("`{value}`"),
            Kind::Int(value) => format!("`{value}`"),
            Kind::Float(value) => format!("`{value}`"),
            Kind::Text(text) => format!("the text `{}`", excerpt(text, 40)),
            Kind::List(_) => "a list".to_owned(),
            Kind::Map(_) => "a table".to_owned(),
        }
    }

    /// The value as a parameter. JSON has no word for values that are not finite: they become text.
    pub(crate) fn to_param(&self) -> ParamValue {
        match &self.kind {
            Kind::Null => ParamValue::Null,
            Kind::Bool(value) => ParamValue::Bool(*value),
            Kind::Int(value) => int_param(*value),
            Kind::Float(value) => serde_json::Number::from_f64(*value).map_or_else(
                || ParamValue::String(Number(*value).to_string()),
                ParamValue::Number,
            ),
            Kind::Text(text) => ParamValue::String(text.clone()),
            Kind::List(items) => items.iter().map(Self::to_param).collect(),
            Kind::Map(map) => {
                let pairs = map.entries.iter();
                ParamValue::Object(pairs.map(|e| (e.key.clone(), e.value.to_param())).collect())
            }
        }
    }

    /// How many values this one holds, itself included, and how deep they are nested.
    pub(crate) fn measure(&self) -> (usize, usize) {
        let children: Vec<(usize, usize)> = match &self.kind {
            Kind::List(items) => items.iter().map(Self::measure).collect(),
            Kind::Map(map) => map.entries.iter().map(|e| e.value.measure()).collect(),
            _ => Vec::new(),
        };
        let count = 1 + children.iter().map(|(count, _)| count).sum::<usize>();
        let depth = 1 + children.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
        (count, depth)
    }
}

fn int_param(value: i128) -> ParamValue {
    if let Ok(value) = i64::try_from(value) {
        value.into()
    } else if let Ok(value) = u64::try_from(value) {
        value.into()
    } else {
        (value as f64).into()
    }
}

impl Map {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub(crate) fn entry_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.key == key)
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry> {
        let place = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(place))
    }

    /// Adds what `base` has and this map lacks; maps on both sides merge key by key, lists are not joined.
    pub(crate) fn fill_from(&mut self, base: &Self) {
        for entry in &base.entries {
            match self.entry_mut(&entry.key) {
                None => self.entries.push(entry.clone()),
                Some(own) => {
                    if let (Kind::Map(own), Kind::Map(base)) =
                        (&mut own.value.kind, &entry.value.kind)
                    {
                        own.fill_from(base);
                    }
                }
            }
        }
    }
}
