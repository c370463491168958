//! `--set key=value`: changes to the document tree before it is checked, so that they meet the same checks.

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Entry, Kind, Map, Node};
use crate::read::toml::{key_path, value as toml_value};
use crate::shape::canonical::canonical_value;
use crate::shape::keys::ROOT;
use crate::shape::section::{Section, Type};
use crate::source::{Sources, Span};

/// Name of the pseudo-file that diagnostics about these values point into.
const SET_NAME: &str = "--set";

/// What the path starts in.
static WHOLE: Type = Type::Section(&ROOT);

/// Applies the changes in order.
pub(crate) fn apply(
    root: &mut Node,
    changes: &[String],
    sources: &mut Sources,
    problems: &mut Problems,
) {
    for change in changes {
        let source = sources.add(SET_NAME, change.as_str());
        if let Err(problem) = apply_one(root, change, source) {
            problems.push(*problem);
        }
    }
}

fn apply_one(root: &mut Node, change: &str, source: usize) -> Result<(), Box<Diagnostic>> {
    let whole = Span {
        source,
        start: 0,
        end: change.len(),
    };
    let bad = |message: &str| {
        error(whole, message).help("write key=value, like tasks.0.timeout=1h or arms.candidate.lr=0.1; quote a part that holds dots or slashes: metrics.\"a/b\".margin=2%")
    };
    let equals =
        outside_quotes(change, '=').ok_or_else(|| bad("a change has the form key=value"))?;
    let (key, text) = (&change[..equals], &change[equals + 1..]);
    let path = key_path(source, key).ok_or_else(|| bad("this is not a key"))?;
    let value = toml_value(source, text, equals + 1).unwrap_or_else(|| {
        let span = Span {
            source,
            start: equals + 1,
            end: change.len(),
        };
        Node::new(span, Kind::Text(text.to_owned()))
    });
    if path.first().is_some_and(|(part, _)| part == "include") {
        return Err(bad("`include` cannot be set: files are included before changes apply").into());
    }
    place(root, &path, Change { value, raw: text }, Some(&WHOLE))
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Severity::Error, span, message)
}

fn outside_quotes(text: &str, wanted: char) -> Option<usize> {
    let mut open = None;
    for (at, c) in text.char_indices() {
        match open {
            Some(quote) if quote == c => open = None,
            None if c == '"' || c == '\'' => open = Some(c),
            None if c == wanted => return Some(at),
            _ => {}
        }
    }
    None
}

/// The new value, as TOML and as it was typed.
struct Change<'a> {
    value: Node,
    raw: &'a str,
}

impl Change<'_> {
    fn under(self, key: &str) -> Self {
        Self {
            value: canonical_value(key, self.value),
            ..self
        }
    }

    /// Where text is wanted, `name=2024` and `env.LEVEL=1.10` mean the characters typed, not a number.
    fn fitting(self, ty: Option<&Type>) -> Node {
        let is_scalar = Type::Scalar.fits(&self.value);
        let wants_text = ty.is_some_and(|ty| {
            matches!(ty, Type::Scalar) || (ty.takes_text() && !ty.fits(&self.value))
        });
        if is_scalar && wants_text && self.value.text().is_none() {
            return Node::new(self.value.span, Kind::Text(self.raw.to_owned()));
        }
        self.value
    }
}

/// Walks the path, which is as deep as the key has parts, and puts the value at its end.
fn place(
    node: &mut Node,
    path: &[(String, Span)],
    change: Change<'_>,
    ty: Option<&'static Type>,
) -> Result<(), Box<Diagnostic>> {
    let Some(((part, span), rest)) = path.split_first() else {
        *node = change.fitting(ty);
        return Ok(());
    };
    match &mut node.kind {
        Kind::List(items) => {
            let count = items.len();
            let item = part
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get_mut(index));
            let item = item.ok_or_else(|| no_item(*span, part, count))?;
            place(item, rest, change, ty.and_then(Type::inner))
        }
        // A parameter whose name holds dots is meant where there is one.
        Kind::Map(map) if !rest.is_empty() && map.entry(&dotted(path)).is_some() => {
            place(slot(map, &dotted(path), *span), &[], change, None)
        }
        Kind::Map(map) => {
            let (key, below) = canonical_key(part, ty);
            let change = if rest.is_empty() {
                change.under(part)
            } else {
                change
            };
            place(slot(map, &key, *span), rest, change, below)
        }
        _ => {
            let message = format!("`{part}` lies below {}, which has no keys", node.found());
            Err(error(*span, message).into())
        }
    }
}

fn dotted(path: &[(String, Span)]) -> String {
    let parts: Vec<&str> = path.iter().map(|(part, _)| part.as_str()).collect();
    parts.join(".")
}

fn no_item(span: Span, part: &str, count: usize) -> Diagnostic {
    let problem = error(
        span,
        format!("there is no item `{part}` in a list of {count}"),
    );
    problem.help("items are counted from 0")
}

/// The value under a key, made as an empty table where there is none; a change counts as the key's new place.
fn slot<'a>(map: &'a mut Map, key: &str, span: Span) -> &'a mut Node {
    let place = map
        .entries
        .iter()
        .position(|entry| entry.key == key)
        .unwrap_or_else(|| {
            map.entries.push(Entry {
                key: key.to_owned(),
                key_span: span,
                value: Node::empty(span),
            });
            map.entries.len() - 1
        });
    &mut map.entries[place].value
}

fn canonical_key(part: &str, ty: Option<&'static Type>) -> (String, Option<&'static Type>) {
    let section: Option<&'static Section> = ty.and_then(Type::section);
    match (section.and_then(|section| section.key(part)), ty) {
        (Some(key), _) => (key.name.to_owned(), Some(&key.ty)),
        (None, ty) => (part.to_owned(), ty.and_then(Type::inner)),
    }
}

impl Type {
    fn section(&self) -> Option<&'static Section> {
        match self {
            Self::Section(section) => Some(section),
            Self::Either(types) => types.iter().find_map(Self::section),
            _ => None,
        }
    }

    fn takes_text(&self) -> bool {
        match self {
            Self::Text | Self::FilledText | Self::Name | Self::PlainName => true,
            Self::Either(types) => types.iter().any(Self::takes_text),
            _ => false,
        }
    }

    fn inner(&self) -> Option<&'static Type> {
        match self {
            Self::List(inner, _) | Self::Map(inner, _) => Some(inner),
            Self::Either(types) => types.iter().find_map(Self::inner),
            _ => None,
        }
    }
}
