//! What a figure is drawn of: a list of shapes with classes, from which SVG text and pixels are made alike.

use crate::area::Area;

/// Shapes in the order in which they lie over each other.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    pub(crate) shapes: Vec<Shape>,
    /// Whether shapes are grouped by what they are of, for a page whose script lets a reader explore them.
    pub(crate) explorable: bool,
}

/// One thing to draw, at places in drawing units; its class says how it looks.
#[derive(Debug)]
pub(crate) enum Shape {
    Text(Text),
    Line {
        from: (f64, f64),
        to: (f64, f64),
        class: String,
    },
    Path {
        points: Vec<(f64, f64)>,
        close: Close,
        class: String,
    },
    Circle {
        at: (f64, f64),
        radius: f64,
        class: String,
    },
    /// From here on nothing outside of the area shows.
    ClipBegins(Area),
    ClipEnds,
    /// From here on shapes belong together; the attributes say what they are of.
    GroupBegins(Vec<(&'static str, String)>),
    GroupEnds,
}

/// Words.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) at: (f64, f64),
    pub(crate) anchor: Anchor,
    pub(crate) reads: Reads,
    pub(crate) class: &'static str,
    pub(crate) words: String,
    /// What they are short for, where they are.
    pub(crate) whole: Option<String>,
}

/// Where a text stands in relation to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Which way a text reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Across,
    Upwards,
}

/// Whether a path returns to its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Close {
    Yes,
    No,
}

impl Drawing {
    pub(crate) fn text(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        class: &'static str,
        words: &str,
    ) {
        self.shapes.push(Shape::Text(Text {
            at,
            anchor,
            reads: Reads::Across,
            class,
            words: words.to_owned(),
            whole: None,
        }));
    }

    /// A text that reads upwards around its point.
    pub(crate) fn upward_text(&mut self, at: (f64, f64), class: &'static str, words: &str) {
        self.shapes.push(Shape::Text(Text {
            at,
            anchor: Anchor::Middle,
            reads: Reads::Upwards,
            class,
            words: words.to_owned(),
            whole: None,
        }));
    }

    /// Says what the text that was just drawn is short for; nothing where it is all there.
    pub(crate) fn short_for(&mut self, whole: &str) {
        if let Some(Shape::Text(text)) = self.shapes.last_mut()
            && text.words != whole
        {
            text.whole = Some(whole.to_owned());
        }
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let class = class.to_owned();
        self.shapes.push(Shape::Line { from, to, class });
    }

    pub(crate) fn path(&mut self, points: &[(f64, f64)], close: Close, class: &str) {
        self.shapes.push(Shape::Path {
            points: points.to_vec(),
            close,
            class: class.to_owned(),
        });
    }

    /// A dot, a square, a triangle, a diamond, a triangle upside down or a bar, by its number.
    pub(crate) fn marker(&mut self, at: (f64, f64), shape: usize, class: &str) {
        let corners: &[(f64, f64)] = match shape {
            0 => {
                return self.shapes.push(Shape::Circle {
                    at,
                    radius: 3.0,
                    class: class.to_owned(),
                });
            }
            1 => &[(-2.8, -2.8), (2.8, -2.8), (2.8, 2.8), (-2.8, 2.8)],
            2 => &[(0.0, -3.8), (3.6, 2.6), (-3.6, 2.6)],
            3 => &[(0.0, -4.2), (4.2, 0.0), (0.0, 4.2), (-4.2, 0.0)],
            4 => &[(0.0, 3.8), (3.6, -2.6), (-3.6, -2.6)],
            _ => &[(-1.6, -4.2), (1.6, -4.2), (1.6, 4.2), (-1.6, 4.2)],
        };
        let corners = corners.iter().map(|(x, y)| (at.0 + x, at.1 + y));
        self.path(&corners.collect::<Vec<_>>(), Close::Yes, class);
    }

    /// Draws shapes that belong together, as these attributes say. Where nobody explores them nothing is said.
    pub(crate) fn group(
        &mut self,
        attributes: impl FnOnce() -> Vec<(&'static str, String)>,
        draw: impl FnOnce(&mut Self),
    ) {
        if !self.explorable {
            return draw(self);
        }
        self.shapes.push(Shape::GroupBegins(attributes()));
        draw(self);
        self.shapes.push(Shape::GroupEnds);
    }

    /// Draws something of which nothing outside of the area shows.
    pub(crate) fn clipped(&mut self, area: Area, draw: impl FnOnce(&mut Self)) {
        self.shapes.push(Shape::ClipBegins(area));
        draw(self);
        self.shapes.push(Shape::ClipEnds);
    }
}
