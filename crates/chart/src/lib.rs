//! Charts: a small drawing layer of our own that writes SVG, and PNG from the very same drawing.
//!
//! A [`Figure`] is a grid of [`Panel`]s; a panel has two axes and [`Mark`]s on them. The same figure always gives the
//! same bytes. Colours come from classes that follow the reader's light or dark setting, series differ in dash as well
//! as in colour, and every figure carries a title and a description for screen readers.
#![forbid(unsafe_code)]

mod axis;
mod figure;
mod mark;
mod panel;
mod raster;
mod svg;
mod theme;

pub use axis::{Axis, TickFormat};
pub use figure::Figure;
pub use mark::{Mark, Series};
pub use panel::Panel;
pub use raster::{ChartError, DEFAULT_SCALE};
pub use theme::Theme;
