//! The one place that writes SVG text: escaped, with numbers of at most two decimals, so that bytes are the same
//! everywhere.

use std::fmt::Write as _;

/// SVG text under construction.
#[derive(Debug, Default)]
pub(crate) struct Svg {
    text: String,
}

/// Where a text stands in relation to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Markup of our own, as it stands.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (number(at.0), number(at.1));
        let _ = writeln!(
            self.text,
            r#"<text x="{x}" y="{y}" text-anchor="{anchor}"{}>{}</text>"#,
            class_attribute(class),
            escape(text)
        );
    }

    /// A text that reads upwards around its point.
    pub(crate) fn upward_text(&mut self, at: (f64, f64), class: &str, text: &str) {
        let (x, y) = (number(at.0), number(at.1));
        let _ = writeln!(
            self.text,
            r#"<text x="{x}" y="{y}" text-anchor="middle" transform="rotate(-90 {x} {y})"{}>{}</text>"#,
            class_attribute(class),
            escape(text)
        );
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let _ = writeln!(
            self.text,
            r#"<path d="M{} {}L{} {}" class="{class}"/>"#,
            number(from.0),
            number(from.1),
            number(to.0),
            number(to.1)
        );
    }

    pub(crate) fn path(&mut self, points: &[(f64, f64)], close: Close, class: &str) {
        let mut data = String::with_capacity(points.len() * 12);
        for (place, (x, y)) in points.iter().enumerate() {
            let _ = write!(
                data,
                "{}{} {}",
                if place == 0 { 'M' } else { 'L' },
                number(*x),
                number(*y)
            );
        }
        let end = if close == Close::Yes { "Z" } else { "" };
        let _ = writeln!(self.text, r#"<path d="{data}{end}" class="{class}"/>"#);
    }

    pub(crate) fn circle(&mut self, at: (f64, f64), radius: f64, class: &str) {
        let _ = writeln!(
            self.text,
            r#"<circle cx="{}" cy="{}" r="{}" class="{class}"/>"#,
            number(at.0),
            number(at.1),
            number(radius)
        );
    }
}

/// Whether a path returns to its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Close {
    Yes,
    No,
}

fn class_attribute(class: &str) -> String {
    if class.is_empty() {
        String::new()
    } else {
        format!(r#" class="{class}""#)
    }
}

/// At most two decimals, no trailing zeros, no negative zero.
pub(crate) fn number(x: f64) -> String {
    let rounded = (x * 100.0).round() / 100.0;
    if rounded == 0.0 || !rounded.is_finite() {
        "0".to_owned()
    } else {
        rounded.to_string()
    }
}

/// Text that stands for itself in SVG.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML 1.0 has no way to write these at all.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::{escape, number};

    #[test]
    fn numbers_are_short_and_never_odd() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(1.005_1), "1.01");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(f64::NAN), "0");
    }

    #[test]
    fn text_from_users_cannot_break_the_drawing() {
        assert_eq!(escape("<a&\"\u{1}>"), "&lt;a&amp;&quot;\u{fffd}&gt;");
    }
}
