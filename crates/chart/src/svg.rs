//! The one place that writes SVG text: escaped, with numbers of at most two decimals, so that bytes are the same
//! everywhere.

use crate::drawing::{Anchor, Close, Drawing, Reads, Shape, Text};
use fairtrial_text::escape::xml;
use std::fmt::Write as _;

/// The shapes of a drawing as SVG text; clips get names that begin with `id`.
pub(crate) fn write(drawing: &Drawing, id: &str) -> String {
    let mut svg = String::new();
    let mut clips = 0;
    for shape in &drawing.shapes {
        let _ = match shape {
            Shape::Text(text) => write_text(&mut svg, text),
            Shape::Line { from, to, class } => {
                let [x, y, to_x, to_y] = [from.0, from.1, to.0, to.1].map(number);
                writeln!(svg, r#"<path d="M{x} {y}L{to_x} {to_y}" class="{class}"/>"#)
            }
            Shape::Path {
                points,
                close,
                class,
            } => {
                let steps = steps(points, *close);
                writeln!(svg, r#"<path d="{steps}" class="{class}"/>"#)
            }
            Shape::Circle { at, radius, class } => {
                let [x, y, radius] = [at.0, at.1, *radius].map(number);
                writeln!(
                    svg,
                    r#"<circle cx="{x}" cy="{y}" r="{radius}" class="{class}"/>"#
                )
            }
            Shape::ClipBegins(area) => {
                let [x, y, width, height] = [area.x, area.y, area.width, area.height].map(number);
                clips += 1;
                writeln!(
                    svg,
                    "<clipPath id=\"{id}-{clips}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" \
                     height=\"{height}\"/></clipPath>\n<g clip-path=\"url(#{id}-{clips})\">"
                )
            }
            Shape::ClipEnds | Shape::GroupEnds => writeln!(svg, "</g>"),
            Shape::GroupBegins(attributes) => {
                svg.push_str("<g");
                for (name, value) in attributes {
                    let _ = write!(svg, " {name}=\"{}\"", xml(value));
                }
                writeln!(svg, ">")
            }
        };
    }
    svg
}

fn write_text(svg: &mut String, text: &Text) -> std::fmt::Result {
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let (x, y) = (number(text.at.0), number(text.at.1));
    let turn = match text.reads {
        Reads::Across => String::new(),
        Reads::Upwards => format!(r#" transform="rotate(-90 {x} {y})""#),
    };
    let class = match text.class {
        "" => String::new(),
        class => format!(r#" class="{class}""#),
    };
    let words = xml(&text.words);
    // A reader who points at a short name is told the whole one, and a screen reader says it.
    let whole = text.whole.as_ref();
    let whole = whole.map_or(String::new(), |whole| {
        format!("<title>{}</title>", xml(whole))
    });
    writeln!(
        svg,
        r#"<text x="{x}" y="{y}" text-anchor="{anchor}"{turn}{class}>{whole}{words}</text>"#
    )
}

/// A path in steps from point to point, in tenths of a unit: half the bytes of absolute places, and no error adds up,
/// because each step starts where the rounded one before ended.
fn steps(points: &[(f64, f64)], close: Close) -> String {
    let tenths = |value: f64| {
        if value.is_finite() {
            (10.0 * value).round() as i64
        } else {
            0
        }
    };
    let mut data = String::with_capacity(points.len() * 8);
    let mut before = (0, 0);
    for (place, point) in points.iter().enumerate() {
        let here = (tenths(point.0), tenths(point.1));
        let (x, y) = (here.0 - before.0, here.1 - before.1);
        data.push(match place {
            0 => 'M',
            1 => 'l',
            _ => ' ',
        });
        tenth(x, &mut data);
        if y >= 0 {
            data.push(' ');
        }
        tenth(y, &mut data);
        before = here;
    }
    if close == Close::Yes {
        data.push('z');
    }
    data
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
    use super::{number, steps};
    use crate::drawing::Close;

    #[test]
    fn numbers_are_short_and_never_odd() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(1.005_1), "1.01");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(f64::NAN), "0");
    }

    #[test]
    fn paths_are_steps_that_add_up() {
        let points = [(1.0, 2.0), (1.25, 1.5), (-3.0, 1.5)];
        assert_eq!(steps(&points, Close::Yes), "M1 2l.3-.5 -4.3 0z");
    }
}
