//! Marks as SVG: values become places, and every kind of mark its strokes.

use crate::area::Area;
use crate::axis::Axis;
use crate::drawing::{Anchor, Close, Drawing};
use crate::mark::{Mark, Series, Towards};
use crate::text::{SIZE, fit, width};
use fairtrial_stats::series::thin;

/// Lines with more points than this carry no dots.
const DOTS: usize = 40;
/// Half of the height of a whisker's end, and of a row's zone.
const CAP: f64 = 5.0;
const ZONE: f64 = 10.0;
/// Half of the width of a box.
const BOX: f64 = 18.0;
/// Between neighbouring tiles, and the shades of their steps.
const TILE_GAP: f64 = 1.0;
const TILES: [&[&str]; 5] = [&[], &["b"], &["b", "b"], &["b", "e"], &["e", "e"]];
/// How far outside of the panel an end without bounds is drawn.
const OUTSIDE: f64 = 20.0;

/// The rectangle between two axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plot<'a> {
    pub(crate) area: Area,
    pub(crate) x: &'a Axis,
    pub(crate) y: &'a Axis,
}

impl Plot<'_> {
    pub(crate) fn to_x(self, value: f64) -> f64 {
        self.area.x + self.x.place(value) * self.area.width
    }

    /// Upwards; named rows stand from the top down.
    pub(crate) fn to_y(self, value: f64) -> f64 {
        let place = self.y.place(value);
        let from_top = if self.y.rows().is_some() {
            place
        } else {
            1.0 - place
        };
        self.area.y + from_top * self.area.height
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.to_x(x), self.to_y(y))
    }

    /// A place on the x axis, where an end without bounds lies just outside.
    fn x_or_outside(&self, value: f64) -> f64 {
        let (left, right) = (self.area.x, self.area.x + self.area.width);
        self.to_x(value).clamp(left - OUTSIDE, right + OUTSIDE)
    }

    fn y_or_outside(&self, value: f64) -> f64 {
        let (top, bottom) = (self.area.y, self.area.y + self.area.height);
        self.to_y(value).clamp(top - OUTSIDE, bottom + OUTSIDE)
    }

    /// Draws one mark.
    pub(crate) fn mark(&self, on: &mut Drawing, mark: &Mark) {
        let series = mark.series();
        let (look, shape) = (series.color(), series.shape());
        match mark {
            Mark::Line { points, .. } => self.line(on, points, series),
            Mark::Trace { points, .. } => {
                // Many of them lie over each other: half the columns are as good.
                self.path(on, points, &format!("t s{look}"), self.columns() / 3);
                if let [alone] = points[..]
                    && finite(&alone)
                {
                    on.marker(self.at(alone), shape, &format!("e c{look}"));
                }
            }
            Mark::Points { points, .. } => {
                for point in points.iter().filter(|point| finite(point)) {
                    on.marker(self.at(*point), shape, &format!("k c{look}"));
                }
            }
            Mark::Band { points, .. } => self.band(on, points, look),
            Mark::Outline { points, .. } => {
                let corners: Vec<(f64, f64)> = points
                    .iter()
                    .filter(|point| finite(point))
                    .map(|point| self.at(*point))
                    .collect();
                on.path(&corners, Close::Yes, &format!("b c{look}"));
                on.path(&corners, Close::Yes, &format!("l s{look} d{shape}"));
                for corner in corners {
                    on.marker(corner, shape, &format!("k c{look}"));
                }
            }
            Mark::Range { y, x, .. } => self.range(on, *y, *x, series),
            Mark::Whiskers { points, .. } => {
                for point in points {
                    self.whisker(on, *point, series);
                }
            }
            Mark::Box { x, y, .. } => self.boxed(on, *x, *y, look),
            Mark::Tile { x, y, level, text } => self.tile(on, (*x, *y), *level, text),
            Mark::Zone { y, low, high, .. } => {
                let middle = self.to_y(*y);
                let (left, right) = (self.x_or_outside(*low), self.x_or_outside(*high));
                Self::shade(on, (left, middle - ZONE), (right, middle + ZONE));
            }
            Mark::Belt { low, high, .. } => {
                let (left, right) = (self.area.x, self.area.x + self.area.width);
                let (bottom, top) = (self.y_or_outside(*low), self.y_or_outside(*high));
                Self::shade(on, (left, top), (right, bottom));
            }
            Mark::Level { y, .. } if y.is_finite() => {
                let (left, right) = (self.area.x, self.area.x + self.area.width);
                let y = self.to_y(*y);
                on.line((left, y), (right, y), &format!("r s{look} d{shape}"));
            }
            Mark::Stretch { y, x, .. } if y.is_finite() => {
                let (left, right) = (self.x_or_outside(x[0]), self.x_or_outside(x[1]));
                let y = self.to_y(*y);
                on.line((left, y), (right, y), &format!("r s{look} d{shape}"));
            }
            Mark::At { x, .. } if x.is_finite() => {
                let (top, bottom) = (self.area.y, self.area.y + self.area.height);
                let x = self.to_x(*x);
                on.line((x, top), (x, bottom), &format!("r s{look} d{shape}"));
            }
            Mark::Level { .. } | Mark::Stretch { .. } | Mark::At { .. } => {}
            Mark::Rule { from, to } => on.line(self.at(*from), self.at(*to), "g"),
            Mark::Words { at, towards, text } => self.words(on, *at, *towards, text),
        }
    }

    /// Columns that can be told apart.
    fn columns(&self) -> usize {
        self.area.width.max(1.0) as usize
    }

    fn line(&self, on: &mut Drawing, points: &[(f64, f64)], series: Series) {
        let (look, shape) = (series.color(), series.shape());
        // A long line lies over many others: a rim in the page's colour keeps it apart.
        if points.len() > DOTS {
            self.path(on, points, "o", self.columns());
        }
        self.path(on, points, &format!("l s{look} d{shape}"), self.columns());
        if points.len() <= DOTS {
            for point in points.iter().filter(|point| finite(point)) {
                on.marker(self.at(*point), shape, &format!("k c{look}"));
            }
        }
    }

    /// The stretches between gaps; a point alone between gaps is a dot.
    fn path(&self, on: &mut Drawing, points: &[(f64, f64)], class: &str, columns: usize) {
        for stretch in points
            .split(|point| !finite(point))
            .filter(|stretch| !stretch.is_empty())
        {
            let places: Vec<(f64, f64)> = thin(stretch, columns.max(1))
                .into_iter()
                .map(|point| self.at(point))
                .collect();
            match places[..] {
                [(x, y)] => on.path(&[(x - 1.0, y), (x + 1.0, y)], Close::No, class),
                _ => on.path(&places, Close::No, class),
            }
        }
    }

    fn band(&self, on: &mut Drawing, points: &[(f64, f64, f64)], look: usize) {
        let whole =
            |point: &(f64, f64, f64)| point.0.is_finite() && !point.1.is_nan() && !point.2.is_nan();
        for stretch in points.split(|point| !whole(point)) {
            let end = |low: bool| {
                let line: Vec<(f64, f64)> = stretch
                    .iter()
                    .map(|(x, lower, upper)| (*x, if low { *lower } else { *upper }))
                    .collect();
                thin(&line, self.columns())
                    .into_iter()
                    .map(|(x, y)| (self.to_x(x), self.y_or_outside(y)))
                    .collect::<Vec<(f64, f64)>>()
            };
            let mut outline = end(true);
            outline.extend(end(false).into_iter().rev());
            if outline.len() > 2 {
                on.path(&outline, Close::Yes, &format!("b c{look}"));
            }
        }
    }

    fn range(&self, on: &mut Drawing, y: f64, [low, value, high]: [f64; 3], series: Series) {
        let (look, shape) = (series.color(), series.shape());
        if !value.is_finite() {
            return;
        }
        let y = self.to_y(y);
        let class = format!("l s{look}");
        if !low.is_nan() && !high.is_nan() {
            let (left, right) = (self.x_or_outside(low), self.x_or_outside(high));
            on.line((left, y), (right, y), &class);
            self.end(on, (left, y), &class);
            self.end(on, (right, y), &class);
        }
        on.marker((self.to_x(value), y), shape, &format!("k c{look}"));
    }

    /// The end of an interval along x: a cap, or an arrow at the edge where it goes on beyond.
    fn end(&self, on: &mut Drawing, (x, y): (f64, f64), class: &str) {
        let (left, right) = (self.area.x, self.area.x + self.area.width);
        match x {
            x if x < left => Self::arrow(on, (left + 1.0, y), (CAP, 0.0), class),
            x if x > right => Self::arrow(on, (right - 1.0, y), (-CAP, 0.0), class),
            x => on.line((x, y - CAP), (x, y + CAP), class),
        }
    }

    /// The head of an arrow with its tip at a place; `back` is the way from there along the shaft.
    fn arrow(on: &mut Drawing, (x, y): (f64, f64), (right, down): (f64, f64), class: &str) {
        let (x_back, y_back) = (x + right, y + down);
        let head = [
            (x_back - down, y_back - right),
            (x, y),
            (x_back + down, y_back + right),
        ];
        on.path(&head, Close::No, class);
    }

    fn whisker(
        &self,
        on: &mut Drawing,
        (x, value, low, high): (f64, f64, f64, f64),
        series: Series,
    ) {
        let (look, shape) = (series.color(), series.shape());
        if !finite(&(x, value)) {
            return;
        }
        let x = self.to_x(x);
        if !low.is_nan() && !high.is_nan() {
            let (bottom, top) = (self.y_or_outside(low), self.y_or_outside(high));
            let class = format!("w s{look}");
            on.line((x, bottom), (x, top), &class);
            let (highest, lowest) = (self.area.y, self.area.y + self.area.height);
            if top < highest {
                Self::arrow(on, (x, highest + 1.0), (0.0, CAP), &class);
            }
            if bottom > lowest {
                Self::arrow(on, (x, lowest - 1.0), (0.0, -CAP), &class);
            }
        }
        on.marker((x, self.to_y(value)), shape, &format!("k c{look}"));
    }

    fn boxed(&self, on: &mut Drawing, x: f64, y: [f64; 5], look: usize) {
        if y.iter().any(|value| !value.is_finite()) {
            return;
        }
        let half = BOX.min(self.area.width / 8.0);
        let x = self.to_x(x);
        let [low, first, median, third, high] = y.map(|value| self.to_y(value));
        let corners = [
            (x - half, first),
            (x + half, first),
            (x + half, third),
            (x - half, third),
        ];
        on.path(&corners, Close::Yes, &format!("b c{look}"));
        on.path(&corners, Close::Yes, &format!("w s{look}"));
        for (from, to) in [(first, low), (third, high)] {
            on.line((x, from), (x, to), &format!("w s{look}"));
        }
        on.line(
            (x - half, median),
            (x + half, median),
            &format!("l s{look}"),
        );
    }

    /// Shades that lie over each other make the steps from light to dark.
    fn tile(&self, on: &mut Drawing, (x, y): (f64, f64), level: f64, text: &str) {
        let (left, right) = (self.to_x(x - 0.5) + TILE_GAP, self.to_x(x + 0.5) - TILE_GAP);
        let (top, bottom) = (self.to_y(y - 0.5) + TILE_GAP, self.to_y(y + 0.5) - TILE_GAP);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        // NaN becomes the first step, which is none.
        let step = (level * TILES.len() as f64).floor().max(0.0) as usize;
        on.path(&corners, Close::Yes, "bg");
        for class in TILES[step.min(TILES.len() - 1)] {
            on.path(&corners, Close::Yes, &format!("{class} c0"));
        }
        // A number that is cut is another number.
        if width(text, SIZE) <= right - left {
            let at = (f64::midpoint(left, right), f64::midpoint(top, bottom) + 4.0);
            on.text(at, Anchor::Middle, "", text);
        }
    }

    fn shade(on: &mut Drawing, (left, top): (f64, f64), (right, bottom): (f64, f64)) {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        on.path(&corners, Close::Yes, "m");
    }

    fn words(&self, on: &mut Drawing, at: (f64, f64), towards: Towards, text: &str) {
        let (x, y) = self.at(at);
        let (left, right) = (x - self.area.x, self.area.x + self.area.width - x);
        let (anchor, room) = match towards {
            Towards::Left => (Anchor::End, left),
            Towards::Middle => (Anchor::Middle, 2.0 * left.min(right)),
            Towards::Right => (Anchor::Start, right),
        };
        on.text((x, y + 4.0), anchor, "f", &fit(text, room, SIZE));
        on.short_for(text);
    }
}

fn finite(point: &(f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite()
}
