//! The texts that a spec was read from, and places in them.

/// A place in one of the texts: bytes `start..end` of source number `source`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) source: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// It has no meaning in UTF-8, is no part of a spec, and would shift every place in the first line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// One text with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file's name as the user gave it, or `--set`.
    pub name: String,
    /// The text, byte for byte; without the byte order mark that some editors put before it.
    pub text: String,
}

/// All the texts behind a spec: the file, what it includes, and what the command line sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    all: Vec<Source>,
}

impl Sources {
    /// The texts, the spec itself first.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.all.iter()
    }

    pub(crate) fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        let mut text = text.into();
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        self.all.push(Source {
            name: name.into(),
            text,
        });
        self.all.len() - 1
    }

    pub(crate) fn get(&self, source: usize) -> Option<&Source> {
        self.all.get(source)
    }

    /// The text that a span covers.
    pub(crate) fn slice(&self, span: Span) -> &str {
        let text = self
            .get(span.source)
            .map_or("", |source| source.text.as_str());
        text.get(span.start..span.end).unwrap_or("")
    }

    /// Where a text stands in a span. Escapes in the source shift places, so it is searched for; where it is written
    /// otherwise, the whole span.
    pub(crate) fn find(&self, span: Span, text: &str) -> Span {
        let Some(at) = self.slice(span).find(text) else {
            return span;
        };
        let start = span.start + at;
        Span {
            start,
            end: start + text.len(),
            ..span
        }
    }
}

impl Source {
    /// Line and column (in characters), both from 1, of a byte.
    pub(crate) fn line_column(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(at)];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }
}
