//! PNG pictures from a drawing, with one embedded font, so that they look the same on every machine.

use crate::area::Area;
use crate::drawing::{Anchor, Close, Drawing, Reads, Shape, Text};
use crate::look::{Look, text_size};
use crate::theme::{Ink, Join, Theme};
use tiny_skia::{
    Color, FillRule, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Pixels per drawing unit where nothing else is said: sharp on screens with dense pixels and in print.
pub const DEFAULT_SCALE: f32 = 2.0;
/// Pixels of a side at most.
const MOST_PIXELS: f32 = 16_384.0;
/// Noto Sans, under the licence that stands beside it.
const FONT: &[u8] = include_bytes!("../font/NotoSans-Regular.ttf");

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The font could not be read; this is a mistake of ours.
    #[error("the font of pictures cannot be read: {0}")]
    Font(#[from] ttf_parser::FaceParsingError),
    /// The picture would be too large.
    #[error("a picture of {width} by {height} pixels is too large")]
    Size {
        /// Its width.
        width: f32,
        /// Its height.
        height: f32,
    },
    /// The picture could not be written.
    #[error("the picture could not be written: {0}")]
    Png(#[from] png::EncodingError),
}

pub(crate) fn png(
    drawing: &Drawing,
    size: (f64, f64),
    theme: Theme,
    scale: f32,
) -> Result<Vec<u8>, ChartError> {
    let pixels = |length: f64| (length as f32 * scale).ceil();
    let (width, height) = (pixels(size.0), pixels(size.1));
    let too_large = || ChartError::Size { width, height };
    if !(width >= 1.0 && height >= 1.0 && width <= MOST_PIXELS && height <= MOST_PIXELS) {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(too_large)?;
    let [red, green, blue] = theme.page();
    pixels.fill(Color::from_rgba8(red, green, blue, 255));
    let mut canvas = Canvas {
        pixels,
        clip: None,
        scale,
        theme,
        font: Face::parse(FONT, 0)?,
    };
    for shape in &drawing.shapes {
        canvas.draw(shape);
    }
    encode(&canvas.pixels)
}

/// Pixels, and what is needed to set them.
struct Canvas {
    pixels: Pixmap,
    clip: Option<Mask>,
    scale: f32,
    theme: Theme,
    font: Face<'static>,
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Text(text) => self.text(text),
            Shape::Line { from, to, class } => {
                self.outline(&[*from, *to], Close::No, class);
            }
            Shape::Path {
                points,
                close,
                class,
            } => self.outline(points, *close, class),
            Shape::Circle { at, radius, class } => {
                let circle = PathBuilder::from_circle(at.0 as f32, at.1 as f32, *radius as f32);
                let look = self.theme.look(class);
                self.paint(circle, &look, Transform::identity());
            }
            Shape::ClipBegins(area) => self.clip = self.mask(*area),
            Shape::ClipEnds => self.clip = None,
            Shape::GroupBegins(_) | Shape::GroupEnds => {}
        }
    }

    fn mask(&self, area: Area) -> Option<Mask> {
        let [x, y, width, height] =
            [area.x, area.y, area.width, area.height].map(|value| value as f32);
        let inside = PathBuilder::from_rect(Rect::from_xywh(x, y, width, height)?);
        let mut mask = Mask::new(self.pixels.width(), self.pixels.height())?;
        mask.fill_path(&inside, FillRule::Winding, true, self.scaled());
        Some(mask)
    }

    fn scaled(&self) -> Transform {
        Transform::from_scale(self.scale, self.scale)
    }

    fn outline(&mut self, points: &[(f64, f64)], close: Close, class: &str) {
        let mut path = PathBuilder::new();
        for (place, point) in points.iter().enumerate() {
            let (x, y) = (point.0 as f32, point.1 as f32);
            if place == 0 {
                path.move_to(x, y);
            } else {
                path.line_to(x, y);
            }
        }
        if close == Close::Yes {
            path.close();
        }
        let look = self.theme.look(class);
        self.paint(path.finish(), &look, Transform::identity());
    }

    /// Paints a path, where it is one: a single point is none.
    fn paint(&mut self, path: Option<Path>, look: &Look, transform: Transform) {
        let Some(path) = path else { return };
        let [red, green, blue] = look.color;
        let (Ink::Stroke { opacity, .. } | Ink::Fill { opacity }) = look.ink;
        let mut paint = Paint::default();
        paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
        let transform = transform.post_concat(self.scaled());
        let clip = self.clip.as_ref();
        match look.ink {
            Ink::Fill { .. } => {
                let rule = FillRule::Winding;
                self.pixels.fill_path(&path, &paint, rule, transform, clip);
            }
            Ink::Stroke { width, join, .. } => {
                let stroke = Stroke {
                    width,
                    line_join: match join {
                        Join::Miter => LineJoin::Miter,
                        Join::Round => LineJoin::Round,
                    },
                    dash: StrokeDash::new(look.dash.to_vec(), 0.0),
                    ..Stroke::default()
                };
                self.pixels
                    .stroke_path(&path, &paint, &stroke, transform, clip);
            }
        }
    }

    fn text(&mut self, text: &Text) {
        let size = text_size(text.class) as f32 / f32::from(self.font.units_per_em());
        let mut line = Line {
            path: PathBuilder::new(),
            x: 0.0,
        };
        for c in text.words.chars() {
            // Where the font has no such letter, its first picture says so.
            let glyph = self.font.glyph_index(c).unwrap_or(GlyphId(0));
            // A letter without an outline is a blank.
            let _ = self.font.outline_glyph(glyph, &mut line);
            line.x += f32::from(self.font.glyph_hor_advance(glyph).unwrap_or(0));
        }
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -line.x / 2.0,
            Anchor::End => -line.x,
        };
        // Letters are drawn upwards from their baseline, pictures downwards.
        let placed = Transform::from_translate(start, 0.0).post_scale(size, -size);
        let turned = match text.reads {
            Reads::Across => placed,
            Reads::Upwards => placed.post_rotate(-90.0),
        };
        let at = turned.post_translate(text.at.0 as f32, text.at.1 as f32);
        let look = self.theme.look(text.class);
        self.paint(line.path.finish(), &look, at);
    }
}

/// A line of letters in units of the font.
struct Line {
    path: PathBuilder,
    x: f32,
}

impl OutlineBuilder for Line {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.x + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.x + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.x + x1, y1, self.x + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let left = self.x;
        self.path
            .cubic_to(left + x1, y1, left + x2, y2, left + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// The page is opaque, so that colours are what they are and the fourth channel says nothing.
fn encode(pixels: &Pixmap) -> Result<Vec<u8>, ChartError> {
    let rgb: Vec<u8> = pixels
        .data()
        .chunks_exact(4)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(bytes)
}
