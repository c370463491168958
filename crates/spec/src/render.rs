//! Diagnostics as a person reads them: the line of the spec, the underlined text, and what to do.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Source, Sources};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::ops::Range;

/// How to draw diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether to use terminal colours.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            color: false,
            width: 100,
        }
    }
}

/// Draws diagnostics, an empty line between two.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, style: Style) -> String {
    let renderer = if style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let renderer = renderer
        .term_width(style.width.max(40))
        .decor_style(DecorStyle::Ascii);
    let drawn = diagnostics
        .iter()
        .map(|diagnostic| renderer.render(&[group(diagnostic, sources)]));
    let mut text = drawn.collect::<Vec<_>>().join("\n\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(diagnostic.message.as_str()));
    let source = sources.get(diagnostic.source);
    if let Some(empty) = source.filter(|source| source.text.is_empty()) {
        // There is no line to show.
        group = group.element(Origin::path(empty.name.as_str()));
    } else if let Some(source) = source {
        let annotation = AnnotationKind::Primary
            .span(clamp(source, &diagnostic.span))
            .label(diagnostic.label.as_deref());
        let mut snippet = snippet(source).annotation(annotation);
        for related in diagnostic
            .related
            .iter()
            .filter(|other| other.source == diagnostic.source)
        {
            let kind = AnnotationKind::Context.span(clamp(source, &related.span));
            snippet = snippet.annotation(kind.label(related.label.as_str()));
        }
        group = group.element(snippet);
    }
    for related in diagnostic
        .related
        .iter()
        .filter(|other| other.source != diagnostic.source)
    {
        if let Some(source) = sources.get(related.source) {
            let kind = AnnotationKind::Context.span(clamp(source, &related.span));
            group = group.element(snippet(source).annotation(kind.label(related.label.as_str())));
        }
    }
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    }
}

fn snippet<T: Clone>(source: &Source) -> Snippet<'_, T> {
    Snippet::source(source.text.as_str()).path(source.name.as_str())
}

/// `annotate-snippets` panics on a span outside the text or inside a character. Only the first line of a longer span
/// is underlined: a whole task or table underlined hides more than it shows.
fn clamp(source: &Source, span: &Range<usize>) -> Range<usize> {
    let text = source.text.as_str();
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    let first_line = text[start..end]
        .find(['\n', '\r'])
        .map_or(end, |newline| start + newline);
    start..first_line
}
