//! PNG pictures from the SVG text, with one embedded font, so that they look the same on every machine.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels per drawing unit where nothing else is said: sharp on screens with dense pixels and in print.
pub const DEFAULT_SCALE: f32 = 2.0;
/// Pixels of a side at most.
const MOST_PIXELS: f32 = 16_384.0;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The drawing could not be read back; this is a mistake of ours.
    #[error("the drawing is not valid SVG: {0}")]
    Svg(#[from] resvg::usvg::Error),
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

pub(crate) fn png(svg: &str, scale: f32) -> Result<Vec<u8>, ChartError> {
    let mut options = Options {
        font_family: "Noto Sans".to_owned(),
        ..Options::default()
    };
    options
        .fontdb_mut()
        .load_font_data(notosans::REGULAR_TTF.to_vec());
    let tree = Tree::from_str(svg, &options)?;
    let (width, height) = (
        (tree.size().width() * scale).ceil(),
        (tree.size().height() * scale).ceil(),
    );
    let too_large = || ChartError::Size { width, height };
    if !(width >= 1.0 && height >= 1.0 && width <= MOST_PIXELS && height <= MOST_PIXELS) {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(too_large)?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    encode(&pixels)
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
