//! A figure: panels in a grid under one title, as SVG text or PNG bytes.

use crate::area::Area;
use crate::drawing::{Anchor, Drawing};
use crate::legend;
use crate::panel::Panel;
#[cfg(feature = "png")]
use crate::raster::{self, ChartError};
use crate::svg;
use crate::text::{SIZE, width, wrap, wrap_name};
use crate::theme::{PAGE_CLASS, Theme};
use fairtrial_text::escape::xml;

/// Room above the panels for the title, and per line for the subtitle.
const HEAD: f64 = 40.0;
const LINE: f64 = 18.0;
const EDGE: f64 = 16.0;
/// Room between rows of panels.
const ROW_GAP: f64 = 16.0;
/// Size of the title.
const TITLE: f64 = 17.0;
/// Lines that it may take, and their height.
const TITLE_LINES: usize = 2;
/// Lines of one that holds a name which has no room in a line.
const LONG_TITLE_LINES: usize = 6;
const TITLE_LINE: f64 = 22.0;
/// Lines that one subtitle may take.
const SUBTITLE_LINES: usize = 3;
/// Lines that one note may take: it is there to be read whole.
const NOTE_LINES: usize = 6;

/// A grid of panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The title, also what screen readers say first.
    pub title: String,
    /// Lines under the title.
    pub subtitle: Vec<String>,
    /// Sentences under these without which the figure would be read wrong: what is missing, what is cut.
    pub notes: Vec<String>,
    /// What the figure shows, for those who cannot see it.
    pub description: String,
    /// Panels in a row.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

/// How large panels are, and where their colours come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    /// Width of a panel.
    pub width: f64,
    /// Height of an ordinary panel without its legend; named rows take what they need.
    pub height: f64,
    /// Where the colours come from.
    pub colors: ColorsFrom,
}

/// Where a figure's colours come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorsFrom {
    /// The figure brings its own style sheet: it stands alone.
    Figure(Theme),
    /// The page that it stands in holds [`crate::page_style`].
    Page,
}

impl Layout {
    /// A figure of its own.
    pub const fn alone(theme: Theme) -> Self {
        Self {
            width: 560.0,
            height: 300.0,
            colors: ColorsFrom::Figure(theme),
        }
    }

    /// A figure inside of a page: narrow, so that its letters are still large on a telephone.
    pub const fn in_page() -> Self {
        Self {
            width: 408.0,
            height: 264.0,
            colors: ColorsFrom::Page,
        }
    }
}

/// One row of panels, measured.
struct PanelRow<'a> {
    panels: &'a [Panel],
    legend_lines: usize,
    height: f64,
}

impl Figure {
    /// The figure as SVG text that stands alone.
    pub fn svg(&self, theme: Theme) -> String {
        self.svg_in(&Layout::alone(theme))
    }

    /// The figure as SVG text.
    pub fn svg_in(&self, layout: &Layout) -> String {
        let (drawing, size) = self.draw(layout);
        let id = self.id();
        let head = self.head(size, &id, layout.colors);
        format!("{head}{}</svg>\n", svg::write(&drawing, &id))
    }

    /// All shapes, and the width and height that they need.
    fn draw(&self, layout: &Layout) -> (Drawing, (f64, f64)) {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let rows = self.rows(columns, layout);
        let width = columns as f64 * layout.width + 2.0 * EDGE;
        let lines = self.lines(width - 2.0 * EDGE);
        let room = (width - 2.0 * EDGE) * SIZE / TITLE;
        let titles = wrap_title(&self.title, room);
        let lower = titles.len().saturating_sub(1) as f64 * TITLE_LINE;
        let head = HEAD + lower + lines.len() as f64 * LINE;
        let gaps = rows.len().saturating_sub(1) as f64 * ROW_GAP;
        let height = head + rows.iter().map(|row| row.height).sum::<f64>() + gaps + EDGE;
        let mut on = Drawing {
            explorable: layout.colors == ColorsFrom::Page,
            ..Drawing::default()
        };
        for (line, title) in titles.iter().enumerate() {
            let y = 26.0 + line as f64 * TITLE_LINE;
            on.text((EDGE, y), Anchor::Start, "h", title);
        }
        for (line, (class, text)) in lines.iter().enumerate() {
            on.text(
                (EDGE, 46.0 + lower + line as f64 * LINE),
                Anchor::Start,
                class,
                text,
            );
        }
        let mut y = head;
        for row in &rows {
            for (column, panel) in row.panels.iter().enumerate() {
                let area = Area {
                    x: EDGE + column as f64 * layout.width,
                    y,
                    width: layout.width,
                    height: row.height,
                };
                panel.draw(&mut on, area, row.legend_lines);
            }
            y += row.height + ROW_GAP;
        }
        (on, (width, height))
    }

    /// The figure as PNG bytes, `scale` pixels per drawing unit. A picture cannot follow the reader's setting:
    /// [`Theme::Auto`] is light.
    #[cfg(feature = "png")]
    pub fn png(&self, theme: Theme, scale: f32) -> Result<Vec<u8>, ChartError> {
        let (drawing, size) = self.draw(&Layout::alone(theme));
        raster::png(&drawing, size, theme, scale)
    }

    /// The lines under the title with their class, in this much room; notes in full ink.
    fn lines(&self, room: f64) -> Vec<(&'static str, String)> {
        let subtitle = self
            .subtitle
            .iter()
            .flat_map(|text| wrap(text, room, SUBTITLE_LINES))
            .map(|line| ("f", line));
        let notes = self
            .notes
            .iter()
            .flat_map(|text| wrap(text, room, NOTE_LINES))
            .map(|line| ("", line));
        subtitle.chain(notes).collect()
    }

    fn rows(&self, columns: usize, layout: &Layout) -> Vec<PanelRow<'_>> {
        let measured = |panels| {
            let of = |panel: &Panel| panel.legend_lines(layout.width);
            let panels: &[Panel] = panels;
            let legend_lines = panels.iter().map(of).max().unwrap_or(0);
            let plot = panels
                .iter()
                .map(|panel| panel.height(layout.height))
                .fold(0.0, f64::max);
            PanelRow {
                panels,
                legend_lines,
                height: plot + legend_lines as f64 * legend::LINE,
            }
        };
        self.panels.chunks(columns).map(measured).collect()
    }

    /// What stands before the shapes: size, words for screen readers, style sheet and background.
    fn head(&self, (width, height): (f64, f64), id: &str, colors: ColorsFrom) -> String {
        let (class, style) = match colors {
            ColorsFrom::Figure(theme) => (
                id,
                format!(
                    "<style>\n{}</style>\n<rect width=\"{width}\" height=\"{height}\" class=\"bg\"/>\n",
                    theme.style(id)
                ),
            ),
            ColorsFrom::Page => (PAGE_CLASS, String::new()),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" class=\"{class}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
             <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n{style}",
            xml(&self.title),
            xml(&self.description),
        )
    }

    /// A name that is the same for the same figure and hardly ever for another on the page (FNV-1a of its texts).
    fn id(&self) -> String {
        let texts = [&self.title, &self.description];
        let bytes = texts.iter().flat_map(|text| text.bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("f{:08x}", hash >> 32)
    }
}

/// A title in lines of this width: names that have no room in one are broken inside.
fn wrap_title(title: &str, room: f64) -> Vec<String> {
    let mut words = title.split_whitespace();
    if words.any(|word| width(word, SIZE) > room) {
        wrap_name(title, room, LONG_TITLE_LINES)
    } else {
        wrap(title, room, TITLE_LINES)
    }
}
