//! Charts: a small drawing layer of our own that writes SVG, and PNG from the very same drawing (feature `png`).
//!
//! A [`Figure`] is a grid of [`Panel`]s; a panel has two axes and [`Mark`]s on them. [`charts`] makes figures from data.
//! The same figure always gives the same bytes. Colours come from classes that follow the reader's light or dark
//! setting, series differ in dash and shape as well as in colour, and every figure carries a title and a description
//! for screen readers.
#![forbid(unsafe_code)]

mod area;
mod axis;
pub mod charts;
mod draw;
mod drawing;
mod figure;
mod legend;
#[cfg(feature = "png")]
mod look;
mod mark;
mod panel;
#[cfg(feature = "png")]
mod raster;
mod svg;
mod text;
mod theme;

pub use axis::Axis;
pub use fairtrial_text::tick::TickFormat;
pub use figure::{ColorsFrom, Figure, Layout};
pub use mark::{Mark, Series, Towards};
pub use panel::Panel;
#[cfg(feature = "png")]
pub use raster::{ChartError, DEFAULT_SCALE};
pub use theme::{Theme, page_style};
