//! One pair of axes with its marks and its legend.

use crate::axis::Axis;
use crate::mark::Mark;
use crate::svg::{Anchor, Close, Svg, number};

/// A rectangle in drawing units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Room around the plot inside a panel.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 46.0;
/// Height of a line of the legend, which stands under the axis.
pub(crate) const LEGEND_LINE: f64 = 18.0;
/// Lines with more points than this carry no dots.
const DOTS: usize = 40;

/// Two axes and what stands between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The heading.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The marks, drawn in order.
    pub marks: Vec<Mark>,
}

impl Panel {
    /// Lines that the legend takes.
    pub(crate) fn legend_lines(&self) -> usize {
        self.marks
            .iter()
            .filter(|mark| !mark.label().is_empty())
            .count()
    }

    /// Draws into an area; `legend_lines` of room are kept under the plot, so that neighbours stay in line.
    pub(crate) fn draw(&self, svg: &mut Svg, area: Area, legend_lines: usize, clip: &str) {
        let legend = legend_lines as f64 * LEGEND_LINE;
        let plot = Area {
            x: area.x + LEFT,
            y: area.y + TOP,
            width: area.width - LEFT - RIGHT,
            height: area.height - TOP - BOTTOM - legend,
        };
        svg.text((plot.x, area.y + 16.0), Anchor::Start, "p", &self.title);
        self.draw_axes(svg, plot);
        let [x, y, width, height] = [plot.x, plot.y, plot.width, plot.height].map(number);
        svg.raw(&format!(
            "<clipPath id=\"{clip}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/></clipPath>\n\
             <g clip-path=\"url(#{clip})\">\n"
        ));
        for mark in &self.marks {
            self.draw_mark(svg, plot, mark);
        }
        svg.raw("</g>\n");
        let below = plot.y + plot.height + BOTTOM;
        let named = self.marks.iter().filter(|mark| !mark.label().is_empty());
        for (line, mark) in named.enumerate() {
            legend_entry(svg, (plot.x, below + line as f64 * LEGEND_LINE + 8.0), mark);
        }
    }

    fn draw_axes(&self, svg: &mut Svg, plot: Area) {
        let (right, bottom) = (plot.x + plot.width, plot.y + plot.height);
        for (value, label) in self.y.ticks() {
            let y = self.to_y(plot, value);
            svg.line((plot.x, y), (right, y), "g");
            svg.text((plot.x - 6.0, y + 4.0), Anchor::End, "f", &label);
        }
        for (value, label) in self.x.ticks() {
            let x = self.to_x(plot, value);
            svg.line((x, bottom), (x, bottom + 4.0), "g x");
            svg.text((x, bottom + 18.0), Anchor::Middle, "f", &label);
        }
        svg.line((plot.x, bottom), (right, bottom), "g x");
        svg.text(
            (plot.x + plot.width / 2.0, bottom + 36.0),
            Anchor::Middle,
            "",
            self.x.label(),
        );
        svg.upward_text(
            (plot.x - 48.0, plot.y + plot.height / 2.0),
            "",
            self.y.label(),
        );
    }

    fn to_x(&self, plot: Area, value: f64) -> f64 {
        plot.x + self.x.place(value) * plot.width
    }

    fn to_y(&self, plot: Area, value: f64) -> f64 {
        plot.y + (1.0 - self.y.place(value)) * plot.height
    }

    fn draw_mark(&self, svg: &mut Svg, plot: Area, mark: &Mark) {
        let look = mark.series().look();
        let at = |x: f64, y: f64| (self.to_x(plot, x), self.to_y(plot, y));
        match mark {
            Mark::Line { points, .. } => {
                let finite = |point: &(f64, f64)| point.0.is_finite() && point.1.is_finite();
                for stretch in points
                    .split(|point| !finite(point))
                    .filter(|stretch| !stretch.is_empty())
                {
                    let places: Vec<(f64, f64)> = stretch.iter().map(|(x, y)| at(*x, *y)).collect();
                    svg.path(&places, Close::No, &format!("l s{look} d{look}"));
                    if points.len() <= DOTS {
                        for place in &places {
                            svg.circle(*place, 3.0, &format!("c{look}"));
                        }
                    }
                }
            }
            Mark::Band { points, .. } => {
                let finite = points
                    .iter()
                    .filter(|(x, low, high)| x.is_finite() && low.is_finite() && high.is_finite());
                let lower = finite.clone().map(|(x, low, _)| at(*x, *low));
                let upper = finite.rev().map(|(x, _, high)| at(*x, *high));
                let outline: Vec<(f64, f64)> = lower.chain(upper).collect();
                if outline.len() > 2 {
                    svg.path(&outline, Close::Yes, &format!("b c{look}"));
                }
            }
            Mark::Whiskers { points, .. } => {
                let drawn = points
                    .iter()
                    .filter(|(x, y, ..)| x.is_finite() && y.is_finite());
                for (x, y, low, high) in drawn {
                    if low.is_finite() && high.is_finite() {
                        svg.line(at(*x, *low), at(*x, *high), &format!("l s{look}"));
                    }
                    svg.circle(at(*x, *y), 4.0, &format!("c{look}"));
                }
            }
            Mark::Level { y, .. } if y.is_finite() => {
                let y = self.to_y(plot, *y);
                svg.line(
                    (plot.x, y),
                    (plot.x + plot.width, y),
                    &format!("r s{look} d{look}"),
                );
            }
            Mark::At { x, .. } if x.is_finite() => {
                let x = self.to_x(plot, *x);
                svg.line(
                    (x, plot.y),
                    (x, plot.y + plot.height),
                    &format!("r s{look} d{look}"),
                );
            }
            Mark::Level { .. } | Mark::At { .. } => {}
        }
    }
}

/// A sample of the mark with its name.
fn legend_entry(svg: &mut Svg, (x, y): (f64, f64), mark: &Mark) {
    let look = mark.series().look();
    let (left, right) = ((x, y), (x + 26.0, y));
    match mark {
        Mark::Line { .. } => {
            svg.line(left, right, &format!("l s{look} d{look}"));
            svg.circle((x + 13.0, y), 3.0, &format!("c{look}"));
        }
        Mark::Band { .. } => {
            let corners = [
                (x, y - 5.0),
                (x + 26.0, y - 5.0),
                (x + 26.0, y + 5.0),
                (x, y + 5.0),
            ];
            svg.path(&corners, Close::Yes, &format!("b c{look}"));
        }
        Mark::Whiskers { .. } => {
            svg.line(
                (x + 13.0, y - 7.0),
                (x + 13.0, y + 7.0),
                &format!("l s{look}"),
            );
            svg.circle((x + 13.0, y), 4.0, &format!("c{look}"));
        }
        Mark::Level { .. } | Mark::At { .. } => {
            svg.line(left, right, &format!("r s{look} d{look}"));
        }
    }
    svg.text((x + 34.0, y + 4.0), Anchor::Start, "", mark.label());
}
