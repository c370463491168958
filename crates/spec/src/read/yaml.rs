//! YAML 1.2 (core schema) into the document tree, from parser events, without recursion.
//!
//! Aliases are copied under a budget, so that a file of a few lines cannot grow to gigabytes; duplicate keys are
//! refused; `<<` merges as everybody expects it to.

use super::syntax::syntax;
use crate::diagnostic::Problems;
use crate::document::{Entry, Kind, MAX_DEPTH, Map, Node};
use crate::source::Span;
use granit_parser::{Event, Parser, ScalarStyle, Tag};
use std::collections::HashMap;

/// Values that aliases may add up to.
const MAX_NODES: usize = 200_000;

/// Reads a document.
pub(super) fn read(source: usize, text: &str, problems: &mut Problems) -> Option<Node> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut builder = Builder::new(source, text, problems);
    for next in Parser::new_from_str_with_options(text, options) {
        match next {
            Ok((event, span)) => builder.event(event, span.byte_range().unwrap_or(0..0)),
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(0);
                let message = format!("not valid YAML: {}", error.info());
                match indenting_tab(text, at).filter(|_| message.contains("tab")) {
                    Some(tab) => builder.tab(tab, &message),
                    None => builder.fail(at..at + 1, &message),
                }
                break;
            }
        }
        if builder.broken {
            break;
        }
    }
    builder.finish()
}

struct Builder<'a> {
    source: usize,
    text: &'a str,
    problems: &'a mut Problems,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    copied: usize,
    documents: usize,
    root: Option<Node>,
    broken: bool,
}

/// A list or map whose end has not been seen yet.
struct Open {
    start: usize,
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map(OpenMap),
}

#[derive(Default)]
struct OpenMap {
    entries: Vec<Entry>,
    /// The key whose value comes next.
    key: Option<(String, Span)>,
    seen: HashMap<String, Span>,
}

type Bytes = std::ops::Range<usize>;

impl<'a> Builder<'a> {
    fn new(source: usize, text: &'a str, problems: &'a mut Problems) -> Self {
        Self {
            source,
            text,
            problems,
            open: Vec::new(),
            anchors: HashMap::new(),
            copied: 0,
            documents: 0,
            root: None,
            broken: false,
        }
    }

    fn span(&self, range: &Bytes) -> Span {
        Span {
            source: self.source,
            start: range.start,
            end: range.end,
        }
    }

    fn fail(&mut self, range: Bytes, message: &str) {
        self.problems.push(syntax(self.span(&range), message));
        self.broken = true;
    }

    fn tab(&mut self, at: usize, message: &str) {
        let problem = syntax(self.span(&(at..at + 1)), message);
        self.problems.push(problem.help("indent with spaces"));
        self.broken = true;
    }

    fn event(&mut self, event: Event<'_>, range: Bytes) {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.fail(
                        range,
                        "a spec is one YAML document, here a second one starts",
                    );
                }
            }
            Event::Alias(anchor) => self.alias(anchor, range),
            Event::Scalar(value, style, anchor, tag) => {
                let kind = self.scalar(&value, style, tag.as_deref(), &range);
                let node = Node::new(self.span(&range), kind);
                self.remember(anchor, &node);
                self.place(node);
            }
            Event::SequenceStart(_, anchor, _) => {
                self.start(range, anchor, Content::List(Vec::new()));
            }
            Event::MappingStart(_, anchor, _) => {
                self.start(range, anchor, Content::Map(OpenMap::default()));
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(&range),
            _ => {}
        }
    }

    fn start(&mut self, range: Bytes, anchor: usize, content: Content) {
        if matches!(self.open.last(), Some(Open { content: Content::Map(map), .. }) if map.key.is_none())
        {
            return self.fail(range, "a key must be text, not a list or a table");
        }
        self.open.push(Open {
            start: range.start,
            anchor,
            content,
        });
    }

    fn end(&mut self, range: &Bytes) {
        let Some(open) = self.open.pop() else { return };
        let end = range.end.max(open.start);
        let trimmed = self
            .text
            .get(open.start..end)
            .map_or(end, |text| open.start + text.trim_end().len());
        let span = self.span(&(open.start..trimmed));
        let kind = match open.content {
            Content::List(items) => Kind::List(items),
            Content::Map(map) => Kind::Map(merged(map.entries)),
        };
        let node = Node::new(span, kind);
        self.remember(open.anchor, &node);
        self.place(node);
    }

    fn remember(&mut self, anchor: usize, node: &Node) {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
    }

    fn alias(&mut self, anchor: usize, range: Bytes) {
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            return self.fail(range, "an alias to a value that contains it");
        };
        let (count, depth) = node.measure();
        self.copied += count;
        if self.copied > MAX_NODES || depth + self.open.len() > MAX_DEPTH {
            return self.fail(range, "aliases make this document too large");
        }
        self.place(node);
    }

    fn place(&mut self, node: Node) {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(node),
            Some(Content::List(items)) => items.push(node),
            Some(Content::Map(map)) => match map.key.take() {
                Some((key, key_span)) => map.entries.push(Entry {
                    key,
                    key_span,
                    value: node,
                }),
                None => self.key(&node),
            },
        }
    }

    fn key(&mut self, node: &Node) {
        let name = match &node.kind {
            Kind::Text(text) => text.clone(),
            Kind::List(_) | Kind::Map(_) => {
                return self.fail(
                    node.span.start..node.span.end,
                    "a key must be text, not a list or a table",
                );
            }
            _ => self
                .text
                .get(node.span.start..node.span.end)
                .unwrap_or("")
                .to_owned(),
        };
        let Some(Open {
            content: Content::Map(map),
            ..
        }) = self.open.last_mut()
        else {
            return;
        };
        map.key = Some((name.clone(), node.span));
        let first = map.seen.insert(name.clone(), node.span);
        if let Some(first) = first.filter(|_| name != "<<") {
            let problem = syntax(node.span, format!("the key `{name}` stands here twice"))
                .label("again here")
                .related(first, "first here")
                .help("remove one of the two");
            self.problems.push(problem);
        }
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        range: &Bytes,
    ) -> Kind {
        let text = Kind::Text(value.to_owned());
        match tag.map(Tag::to_string).as_deref() {
            None if style == ScalarStyle::Plain => plain(value),
            None | Some("!!str" | "!" | "tag:yaml.org,2002:str") => text,
            Some(other) => {
                let message = format!("the YAML tag `{other}` has no meaning in a spec");
                self.problems
                    .push(syntax(self.span(range), message).help("remove the tag"));
                text
            }
        }
    }

    fn finish(self) -> Option<Node> {
        let whole = self.span(&(0..0));
        (!self.broken).then(|| match self.root {
            Some(Node {
                kind: Kind::Null, ..
            })
            | None => Node::empty(whole),
            Some(root) => root,
        })
    }
}

/// The first tab among the blanks at the start of a line, from the line of `at` on: the parser tells where the value
/// began that the tab ends, which may be lines before it.
fn indenting_tab(text: &str, at: usize) -> Option<usize> {
    let at = text.floor_char_boundary(at);
    let mut start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    for line in text[start..].split_inclusive('\n') {
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = line[..blanks].find('\t') {
            return Some(start + tab);
        }
        start += line.len();
    }
    None
}

/// Applies `<<`: the map's own keys win over merged ones.
fn merged(entries: Vec<Entry>) -> Map {
    let (merges, entries): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.key == "<<");
    let mut map = Map { entries };
    for merge in merges {
        let sources = match &merge.value.kind {
            Kind::List(items) if items.iter().all(|item| item.map().is_some()) => items.clone(),
            Kind::Map(_) => vec![merge.value],
            _ => {
                map.entries.push(merge);
                continue;
            }
        };
        for base in sources.iter().filter_map(Node::map) {
            for entry in &base.entries {
                if map.get(&entry.key).is_none() {
                    map.entries.push(entry.clone());
                }
            }
        }
    }
    map
}

/// A plain scalar by the rules of the core schema.
fn plain(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Bool(true),
        "false" | "False" | "FALSE" => Kind::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Kind::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Kind::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => Kind::Float(f64::NAN),
        _ => number(text).unwrap_or_else(|| Kind::Text(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Kind> {
    let radix = |prefix, radix| {
        let digits = text.strip_prefix(prefix)?;
        i128::from_str_radix(digits, radix).ok().map(Kind::Int)
    };
    if let Some(kind) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Some(kind);
    }
    let looks_like_one = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    if !looks_like_one {
        return None;
    }
    let int = text.parse().ok().map(Kind::Int);
    int.or_else(|| text.parse().ok().map(Kind::Float))
}
