//! The one place that writes SVG text: escaped, with numbers of at most two decimals, so that bytes are the same
//! everywhere.

use fairtrial_text::escape::xml;
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
            xml(text)
        );
    }

    /// A text that reads upwards around its point.
    pub(crate) fn upward_text(&mut self, at: (f64, f64), class: &str, text: &str) {
        let (x, y) = (number(at.0), number(at.1));
        let _ = writeln!(
            self.text,
            r#"<text x="{x}" y="{y}" text-anchor="middle" transform="rotate(-90 {x} {y})"{}>{}</text>"#,
            class_attribute(class),
            xml(text)
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

    /// A path in steps from point to point, in tenths of a unit: half the bytes of absolute places, and no
    /// error adds up, because each step starts where the rounded one before ended.
    pub(crate) fn path(&mut self, points: &[(f64, f64)], close: Close, class: &str) {
        let tenths = |(x, y): (f64, f64)| {
            let round = |value: f64| {
                if value.is_finite() {
                    (10.0 * value).round() as i64
                } else {
                    0
                }
            };
            (round(x), round(y))
        };
        let mut data = String::with_capacity(points.len() * 8);
        let mut before = (0, 0);
        for (place, point) in points.iter().enumerate() {
            let here = tenths(*point);
            let (x, y) = (here.0 - before.0, here.1 - before.1);
            let letter = match place {
                0 => 'M',
                1 => 'l',
                _ => ' ',
            };
            data.push(letter);
            tenth(x, &mut data);
            if y >= 0 {
                data.push(' ');
            }
            tenth(y, &mut data);
            before = here;
        }
        let end = if close == Close::Yes { "z" } else { "" };
        let _ = writeln!(self.text, r#"<path d="{data}{end}" class="{class}"/>"#);
    }

    /// A dot, a square, a triangle, a diamond, a triangle upside down or a bar, by its number.
    pub(crate) fn marker(&mut self, at: (f64, f64), shape: usize, class: &str) {
        let shape: &[(f64, f64)] = match shape {
            0 => return self.circle(at, 3.0, class),
            1 => &[(-2.8, -2.8), (2.8, -2.8), (2.8, 2.8), (-2.8, 2.8)],
            2 => &[(0.0, -3.8), (3.6, 2.6), (-3.6, 2.6)],
            3 => &[(0.0, -4.2), (4.2, 0.0), (0.0, 4.2), (-4.2, 0.0)],
            4 => &[(0.0, 3.8), (3.6, -2.6), (-3.6, -2.6)],
            _ => &[(-1.6, -4.2), (1.6, -4.2), (1.6, 4.2), (-1.6, 4.2)],
        };
        let corners: Vec<(f64, f64)> = shape.iter().map(|(x, y)| (at.0 + x, at.1 + y)).collect();
        self.path(&corners, Close::Yes, class);
    }

    fn circle(&mut self, at: (f64, f64), radius: f64, class: &str) {
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

/// A count of tenths as a number.
fn tenth(tenths: i64, to: &mut String) {
    let sign = if tenths < 0 { "-" } else { "" };
    let (whole, rest) = (tenths.abs() / 10, tenths.abs() % 10);
    let _ = match (whole, rest) {
        (whole, 0) => write!(to, "{sign}{whole}"),
        (0, rest) => write!(to, "{sign}.{rest}"),
        (whole, rest) => write!(to, "{sign}{whole}.{rest}"),
    };
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

#[cfg(test)]
mod tests {
    use super::{Close, Svg, number};

    #[test]
    fn numbers_are_short_and_never_odd() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(1.005_1), "1.01");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(f64::NAN), "0");
    }

    #[test]
    fn paths_are_steps_that_add_up() {
        let mut svg = Svg::default();
        svg.path(&[(1.0, 2.0), (1.25, 1.5), (-3.0, 1.5)], Close::Yes, "l");
        assert_eq!(
            svg.finish(),
            "<path d=\"M1 2l.3-.5 -4.3 0z\" class=\"l\"/>\n"
        );
    }
}
