//! One pair of axes with its marks and its legend: what stands where.

use crate::area::Area;
use crate::axis::{Axis, NameTick, Tick};
use crate::draw::Plot;
use crate::drawing::{Anchor, Drawing};
use crate::legend;
use crate::mark::Mark;
use crate::svg::number;
use crate::text::{SIZE, fit, width};

/// Room around the plot inside a panel.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 30.0;
/// The same for a panel without a heading.
const BARE_TOP: f64 = 10.0;
const BOTTOM: f64 = 46.0;
/// Room for the upward label beside the ticks.
const UPWARD: f64 = 28.0;
/// Between a tick label and the plot.
const GAP: f64 = 6.0;
/// Height of a further line of a name under the plot.
const NAME_LINE: f64 = 14.0;
/// Height of a named row.
const ROW: f64 = 26.0;
/// Size of a panel's heading.
const HEADING: f64 = 14.0;
/// The share of a panel's width that names, and that notes, may take.
const NAMES_SHARE: f64 = 0.42;
const NOTES_SHARE: f64 = 0.34;

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
    /// Height that the panel takes without its legend, where an ordinary one takes `usual`.
    pub(crate) fn height(&self, usual: f64) -> f64 {
        match self.y.rows() {
            Some(rows) => self.top() + BOTTOM + ROW * rows.len().max(1) as f64,
            None => usual - TOP + self.top(),
        }
    }

    fn top(&self) -> f64 {
        if self.title.is_empty() { BARE_TOP } else { TOP }
    }

    /// Lines that the legend takes in a panel of this width.
    pub(crate) fn legend_lines(&self, width: f64) -> usize {
        legend::lines(&self.marks, width).len()
    }

    /// Draws into an area; `legend_lines` of room are kept under the plot, so that neighbours stay in line.
    pub(crate) fn draw(&self, on: &mut Drawing, area: Area, legend_lines: usize) {
        let names = NOTES_SHARE * area.width;
        // The cells of a heat map need their width.
        let share = match self.x.rows() {
            Some(_) => NOTES_SHARE,
            None => NAMES_SHARE,
        };
        let upwards = self.y.upwards(share * area.width);
        let plot = self.plot(area, legend_lines, &upwards);
        let title = fit(&self.title, area.width - GAP, HEADING);
        if !title.is_empty() {
            on.text((area.x + GAP, area.y + 16.0), Anchor::Start, "p", &title);
            on.short_for(&self.title);
        }
        on.group(
            || self.place(plot),
            |on| {
                let axis = |class: &str| vec![("class", class.to_owned())];
                on.group(|| axis("ay"), |on| self.draw_y(on, plot, &upwards));
                on.group(|| axis("ax"), |on| self.draw_x(on, area, plot));
                self.draw_notes(on, plot, names);
                let drawing = Plot {
                    area: plot,
                    x: &self.x,
                    y: &self.y,
                };
                on.clipped(plot, |on| {
                    for mark in &self.marks {
                        on.group(|| mark.attributes(), |on| drawing.mark(on, mark));
                    }
                });
            },
        );
        let below = area.y + area.height - legend_lines as f64 * legend::LINE;
        legend::draw(on, &self.marks, (area.x + GAP, below), area.width);
    }

    /// What a script needs to know of a panel to turn places into values: the rectangle, and what its edges stand for.
    fn place(&self, plot: Area) -> Vec<(&'static str, String)> {
        let ((left, right), (low, high)) = (self.x.range(), self.y.range());
        let rectangle = [plot.x, plot.y, plot.width, plot.height].map(number);
        let mut known = vec![
            ("class", "plot".to_owned()),
            ("data-area", rectangle.join(" ")),
            ("data-x", format!("{left} {right}")),
            ("data-y", format!("{low} {high}")),
            ("data-xl", self.x.label().into_owned()),
            ("data-yl", self.y.label().into_owned()),
        ];
        for (name, axis) in [("data-columns", &self.x), ("data-rows", &self.y)] {
            known.extend(axis.rows().map(|names| (name, names.join("\n"))));
        }
        known
    }

    /// The rectangle between the axes.
    fn plot(&self, area: Area, legend_lines: usize, upwards: &[Tick]) -> Area {
        let widest = upwards
            .iter()
            .map(|tick| width(&tick.label, SIZE))
            .fold(0.0, f64::max);
        let label = if self.y.label().is_empty() {
            0.0
        } else {
            UPWARD
        };
        let notes = self
            .y
            .notes()
            .iter()
            .map(|note| width(note, SIZE))
            .fold(0.0, f64::max);
        let hidden = self.x.is_hidden() && self.y.is_hidden();
        let left = match self.y.rows() {
            _ if hidden => GAP,
            Some(_) => widest + label + 2.0 * GAP,
            None => LEFT.max(widest + label + 2.0 * GAP),
        };
        let right = RIGHT.max(notes.min(NOTES_SHARE * area.width) + 2.0 * GAP);
        let legend = legend_lines as f64 * legend::LINE;
        let plot_width = area.width - left - if hidden { GAP } else { right };
        let bottom = if hidden {
            GAP
        } else {
            BOTTOM + self.more_lines(plot_width) * NAME_LINE
        };
        let plot = Area {
            x: area.x + left,
            y: area.y + self.top(),
            width: plot_width,
            height: area.height - self.top() - bottom - legend,
        };
        if hidden { self.even(plot) } else { plot }
    }

    /// The largest rectangle inside in which a unit of x is as long as a unit of y.
    fn even(&self, plot: Area) -> Area {
        let ((left, right), (low, high)) = (self.x.range(), self.y.range());
        let scale = (plot.width / (right - left)).min(plot.height / (high - low));
        let (wide, tall) = (scale * (right - left), scale * (high - low));
        Area {
            x: plot.x + (plot.width - wide) / 2.0,
            y: plot.y + (plot.height - tall) / 2.0,
            width: wide,
            height: tall,
        }
    }

    fn draw_y(&self, on: &mut Drawing, plot: Area, ticks: &[Tick]) {
        let drawing = Plot {
            area: plot,
            x: &self.x,
            y: &self.y,
        };
        let mut widest: f64 = 0.0;
        for Tick { at, label } in ticks {
            let y = drawing.to_y(*at);
            on.line((plot.x, y), (plot.x + plot.width, y), "g");
            on.text((plot.x - GAP, y + 4.0), Anchor::End, "f", label);
            if let Some(name) = self.y.rows().and_then(|rows| rows.get(*at as usize)) {
                on.short_for(name);
            }
            widest = widest.max(width(label, SIZE));
        }
        if !self.y.label().is_empty() {
            let at = plot.x - (widest + 2.0 * GAP + 4.0).max(LEFT - 14.0);
            let label = fit(&self.y.label(), plot.height + BARE_TOP, SIZE);
            on.upward_text((at, plot.y + plot.height / 2.0), "", &label);
            on.short_for(&self.y.label());
        }
    }

    /// Lines that names under the plot take beyond the usual one; the axis's own label, where it has none, leaves its
    /// line to them.
    fn more_lines(&self, plot_width: f64) -> f64 {
        let names = self.x.names_across(plot_width).into_iter();
        let lines = names.map(|name| name.lines.len()).max().unwrap_or(1);
        let usual = if self.x.label().is_empty() { 2 } else { 1 };
        lines.saturating_sub(usual) as f64
    }

    fn draw_x(&self, on: &mut Drawing, area: Area, plot: Area) {
        if self.x.is_hidden() {
            return;
        }
        let drawing = Plot {
            area: plot,
            x: &self.x,
            y: &self.y,
        };
        let bottom = plot.y + plot.height;
        let numbers = self.x.across(plot.width).into_iter();
        let ticks = numbers.map(|tick| NameTick {
            at: tick.at,
            lines: vec![tick.label],
            whole: None,
        });
        for NameTick { at, lines, whole } in ticks.chain(self.x.names_across(plot.width)) {
            let x = drawing.to_x(at);
            on.line((x, bottom), (x, bottom + 4.0), "g x");
            for (line, text) in lines.iter().enumerate() {
                let y = bottom + 18.0 + line as f64 * NAME_LINE;
                on.text((x, y), Anchor::Middle, "f", text);
                if let Some(whole) = &whole {
                    on.short_for(whole);
                }
            }
        }
        on.line((plot.x, bottom), (plot.x + plot.width, bottom), "g x");
        // Under the names and notes at both sides of the plot there is room as well.
        let middle = plot.x + plot.width / 2.0;
        let room = 2.0 * (middle - area.x).min(area.x + area.width - middle);
        let label = fit(&self.x.label(), room, SIZE);
        let below = bottom + 36.0 + self.more_lines(plot.width) * NAME_LINE;
        on.text((middle, below), Anchor::Middle, "", &label);
        on.short_for(&self.x.label());
    }

    fn draw_notes(&self, on: &mut Drawing, plot: Area, room: f64) {
        let drawing = Plot {
            area: plot,
            x: &self.x,
            y: &self.y,
        };
        for (row, note) in self.y.notes().iter().enumerate() {
            let at = (plot.x + plot.width + GAP, drawing.to_y(row as f64) + 4.0);
            on.text(at, Anchor::Start, "", &fit(note, room, SIZE));
            on.short_for(note);
        }
    }
}
