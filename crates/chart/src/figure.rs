//! A figure: panels in a grid under one title, as SVG text or PNG bytes.

use crate::panel::{Area, LEGEND_LINE, Panel};
use crate::raster::{self, ChartError};
use crate::svg::{Anchor, Svg, escape};
use crate::theme::Theme;

/// Size of one panel without its legend.
const PANEL: (f64, f64) = (560.0, 300.0);
/// Room above the panels for the title, and per line for the subtitle.
const HEAD: f64 = 40.0;
const LINE: f64 = 18.0;
const EDGE: f64 = 16.0;
/// Room between rows of panels.
const ROW_GAP: f64 = 16.0;

/// A grid of panels.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The title, also what screen readers say first.
    pub title: String,
    /// Lines under the title.
    pub subtitle: Vec<String>,
    /// What the figure shows, for those who cannot see it.
    pub description: String,
    /// Panels in a row.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// The figure as SVG text.
    pub fn svg(&self, theme: Theme) -> String {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let rows: Vec<&[Panel]> = self.panels.chunks(columns).collect();
        let legends: Vec<usize> = rows
            .iter()
            .map(|row| row.iter().map(Panel::legend_lines).max().unwrap_or(0))
            .collect();
        let head = HEAD + self.subtitle.len() as f64 * LINE;
        let heights: Vec<f64> = legends
            .iter()
            .map(|lines| PANEL.1 + *lines as f64 * LEGEND_LINE)
            .collect();
        let width = columns as f64 * PANEL.0 + 2.0 * EDGE;
        let gaps = rows.len().saturating_sub(1) as f64 * ROW_GAP;
        let height = head + heights.iter().sum::<f64>() + gaps + EDGE;
        let id = self.id();
        let mut svg = Svg::default();
        self.open(&mut svg, (width, height), &id, theme);
        let mut y = head;
        for (row, panels) in rows.iter().enumerate() {
            for (column, panel) in panels.iter().enumerate() {
                let area = Area {
                    x: EDGE + column as f64 * PANEL.0,
                    y,
                    width: PANEL.0,
                    height: heights[row],
                };
                panel.draw(
                    &mut svg,
                    area,
                    legends[row],
                    &format!("{id}-{row}-{column}"),
                );
            }
            y += heights[row] + ROW_GAP;
        }
        svg.raw("</svg>\n");
        svg.finish()
    }

    /// The figure as PNG bytes, `scale` pixels per drawing unit. A picture cannot follow the reader's setting:
    /// [`Theme::Auto`] is light.
    pub fn png(&self, theme: Theme, scale: f32) -> Result<Vec<u8>, ChartError> {
        let theme = if theme == Theme::Auto {
            Theme::Light
        } else {
            theme
        };
        raster::png(&self.svg(theme), scale)
    }

    fn open(&self, svg: &mut Svg, (width, height): (f64, f64), id: &str, theme: Theme) {
        svg.raw(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" class=\"{id}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
             <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n<style>\n{}</style>\n\
             <rect width=\"{width}\" height=\"{height}\" class=\"bg\"/>\n",
            escape(&self.title),
            escape(&self.description),
            theme.style(id)
        ));
        svg.text((EDGE, 26.0), Anchor::Start, "h", &self.title);
        for (line, text) in self.subtitle.iter().enumerate() {
            svg.text((EDGE, 46.0 + line as f64 * LINE), Anchor::Start, "f", text);
        }
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
