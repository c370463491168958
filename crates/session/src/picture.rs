//! Figures as files: the ending of the name says which kind.

use crate::error::SessionError;
use crate::feature::PNG;
use fairtrial_chart::{Figure, Theme};
use fairtrial_journal::{Durability, write_atomic_bytes};
use std::path::Path;

/// What a figure is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Picture {
    /// Lines and letters, at any size.
    #[default]
    Svg,
    /// Pixels, on white.
    Png,
}

impl Picture {
    /// By the file's ending; asked before any work is done.
    pub fn of(path: &Path) -> Result<Self, SessionError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("png") => PNG.need().map(|()| Self::Png),
            Some("svg") => Ok(Self::Svg),
            _ => Err(SessionError::Input(format!(
                "{} must end in .png or .svg",
                path.display()
            ))),
        }
    }

    /// The ending of its files' names.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    /// The figure as the content of a file.
    pub fn bytes(self, figure: &Figure) -> Result<Vec<u8>, SessionError> {
        match self {
            Self::Svg => Ok(figure.svg(Theme::Auto).into_bytes()),
            Self::Png => pixels(figure),
        }
    }

    /// Writes the figure, whole or not at all.
    pub(crate) fn write(self, figure: &Figure, path: &Path) -> Result<(), SessionError> {
        let bytes = self.bytes(figure)?;
        Ok(write_atomic_bytes(path, Durability::Process, &bytes)?)
    }
}

#[cfg(feature = "png")]
fn pixels(figure: &Figure) -> Result<Vec<u8>, SessionError> {
    let png = figure.png(Theme::Light, fairtrial_chart::DEFAULT_SCALE);
    png.map_err(|error| SessionError::Machine(error.to_string()))
}

#[cfg(not(feature = "png"))]
fn pixels(_: &Figure) -> Result<Vec<u8>, SessionError> {
    PNG.need().map(|()| Vec::new())
}
