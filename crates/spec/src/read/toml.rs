//! TOML into the document tree. The parser goes on after an error, so several syntax problems are reported at once;
//! it bounds nesting (values and dotted keys) itself, so the recursion here is bounded too.

use super::dotted;
use super::syntax::syntax;
use crate::diagnostic::Problems;
use crate::document::{Entry, Kind, Map, Node};
use crate::source::Span;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a document.
pub(super) fn read(source: usize, text: &str, problems: &mut Problems) -> Option<Node> {
    let origin = Origin { source, offset: 0 };
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let range = error.span().unwrap_or(0..0);
        problems.push(syntax(origin.span(range), error.message()).help("this is not valid TOML"));
    }
    let mut root = origin.table(table.span(), table.get_ref());
    dotted::join(&mut root, text);
    errors.is_empty().then_some(root)
}

/// Reads one value that stands at `offset` of a source; absent where it is not TOML.
pub(crate) fn value(source: usize, text: &str, offset: usize) -> Option<Node> {
    let origin = Origin { source, offset };
    let value = DeValue::parse(text).ok()?;
    Some(origin.value(&value))
}

/// The parts of a dotted key with their places; absent where it is not one.
pub(crate) fn key_path(source: usize, text: &str) -> Option<Vec<(String, Span)>> {
    let origin = Origin { source, offset: 0 };
    let document = format!("{text}=0");
    if text.contains('\n') {
        return None;
    }
    let table = DeTable::parse(&document).ok()?;
    let mut parts = Vec::new();
    let mut inner = table.get_ref();
    while let Some((key, value)) = inner.iter().next() {
        parts.push((key.get_ref().to_string(), origin.span(key.span())));
        match value.get_ref() {
            DeValue::Table(table) => inner = table,
            _ => break,
        }
    }
    Some(parts)
}

struct Origin {
    source: usize,
    offset: usize,
}

impl Origin {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span {
            source: self.source,
            start: range.start + self.offset,
            end: range.end + self.offset,
        }
    }

    fn table(&self, span: std::ops::Range<usize>, table: &DeTable<'_>) -> Node {
        let entries = table.iter().map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_span: self.span(key.span()),
            value: self.value(value),
        });
        Node::new(
            self.span(span),
            Kind::Map(Map {
                entries: entries.collect(),
            }),
        )
    }

    fn value(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let span = self.span(value.span());
        let kind = match value.get_ref() {
            DeValue::String(text) => Kind::Text(text.to_string()),
            DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
                .map_or(Kind::Float(f64::INFINITY), Kind::Int),
            DeValue::Float(number) => Kind::Float(float(number.as_str())),
            DeValue::Boolean(value) => Kind::Bool(*value),
            DeValue::Datetime(value) => Kind::Text(value.to_string()),
            DeValue::Array(items) => {
                Kind::List(items.iter().map(|item| self.value(item)).collect())
            }
            DeValue::Table(table) => return self.table(value.span(), table),
        };
        Node::new(span, kind)
    }
}

fn float(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}
